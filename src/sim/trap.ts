import { AmbientAccess } from './errors.ts';

/** A property that is replaced while a simulation advances. */
interface Trapped {
  readonly holder: Record<string, unknown>;
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

/**
 * Makes ambient time, chance and timers throw {@link AmbientAccess} with a stack while a simulation advances. The
 * previous functions come back afterwards, whatever they were, so traps nest.
 */
export class AmbientTrap {
  readonly #trapped: readonly Trapped[];

  constructor() {
    const world = globalThis as unknown as Record<string, unknown>;
    const trapped: Trapped[] = [];
    for (const name of GLOBAL_FUNCTIONS) {
      if (typeof world[name] === 'function') trapped.push({ holder: world, name, trap: thrower(name) });
    }
    for (const [holderName, name] of METHODS) {
      const holder = world[holderName] as Record<string, unknown> | undefined;
      if (typeof holder?.[name] === 'function') trapped.push({ holder, name, trap: thrower(`${holderName}.${name}`) });
    }
    trapped.push({ holder: world, name: 'Date', trap: trappedDate(world.Date as object) });
    this.#trapped = trapped;
  }

  /** Sets the traps; the returned function puts back what was there. */
  set(): () => void {
    const before: unknown[] = [];
    for (const { holder, name, trap } of this.#trapped) {
      before.push(holder[name]);
      holder[name] = trap;
    }
    return () => {
      this.#trapped.forEach(({ holder, name }, index) => {
        holder[name] = before[index];
      });
    };
  }
}

function thrower(what: string): () => never {
  return () => {
    throw new AmbientAccess(what);
  };
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
