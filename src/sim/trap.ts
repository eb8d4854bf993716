import { AmbientAccess } from './errors.ts';

type Holder = Record<string, unknown>;

/** A property that is replaced while a simulation advances. */
interface Trapped {
  readonly holder: Holder;
  readonly name: string;
  readonly trap: unknown;
}

const GLOBAL_FUNCTIONS: readonly string[] = Object.freeze([
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
]);

/** Functions of global objects: time and chance. */
const METHODS: readonly (readonly [holder: string, name: string])[] = Object.freeze([
  ['Math', 'random'],
  ['performance', 'now'],
  ['process', 'hrtime'],
  ['process', 'nextTick'],
  ['crypto', 'getRandomValues'],
  ['crypto', 'randomUUID'],
]);

const CRYPTO_FUNCTIONS: readonly string[] = Object.freeze(['randomBytes', 'randomInt', 'randomUUID', 'randomFillSync']);

/**
 * Makes ambient time, chance and timers throw {@link AmbientAccess} with a stack while a simulation advances. The
 * previous functions come back afterwards, whatever they were, so traps nest.
 */
export class AmbientTrap {
  readonly #trapped: readonly Trapped[];

  constructor() {
    const world = globalThis as unknown as Holder;
    const trapped: Trapped[] = [];
    for (const name of GLOBAL_FUNCTIONS) {
      if (typeof world[name] === 'function') trapped.push({ holder: world, name, trap: thrower(name) });
    }
    for (const [holderName, name] of METHODS) {
      const holder = world[holderName] as Holder | undefined;
      if (typeof holder?.[name] === 'function') trapped.push({ holder, name, trap: thrower(`${holderName}.${name}`) });
    }
    const nodeCrypto = builtInModule(world, 'node:crypto');
    for (const name of CRYPTO_FUNCTIONS) {
      if (nodeCrypto !== undefined) trapped.push({ holder: nodeCrypto, name, trap: thrower(`crypto.${name}`) });
    }
    trapped.push({ holder: world, name: 'Date', trap: trappedDate(world.Date as object) });
    this.#trapped = trapped;
  }

  /** Sets the traps; the returned function puts back what was there. */
  set(): () => void {
    const before = this.#trapped.map(({ holder, name }) => Object.getOwnPropertyDescriptor(holder, name));
    for (const { holder, name, trap } of this.#trapped) holder[name] = trap;
    return () => {
      this.#trapped.forEach(({ holder, name }, index) => {
        const own = before[index];
        // What a prototype provides shows again when our own property is gone.
        if (own === undefined) delete holder[name];
        else Object.defineProperty(holder, name, own);
      });
    };
  }
}

function thrower(what: string): unknown {
  const trap = (): never => {
    throw new AmbientAccess(what);
  };
  return Object.assign(trap, { bigint: trap });
}

/** A module of the runtime as programs that import it whole see it; other runtimes have none. */
function builtInModule(world: Holder, name: string): Holder | undefined {
  const process = world.process as { getBuiltinModule?: (id: string) => Holder } | undefined;
  return process?.getBuiltinModule?.(name);
}

/** Converting a known instant is harmless; asking for the current one is not. */
function trappedDate(real: object): object {
  return new Proxy(real, {
    construct: (target, parameters, newTarget) => {
      if (parameters.length === 0) throw new AmbientAccess('new Date()');
      return Reflect.construct(target as new () => object, parameters, newTarget);
    },
    apply: () => {
      throw new AmbientAccess('Date()');
    },
    get: (target, name, receiver) => (name === 'now' ? thrower('Date.now') : Reflect.get(target, name, receiver)),
  });
}
