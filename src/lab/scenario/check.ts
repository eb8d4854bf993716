import { type FaultSpec, OUTSIDE_SERVICES } from '../../world/fault.ts';
import { splitWords } from '../shell/words.ts';
import { cidrContains, parseCidr, parseIpv4 } from './addresses.ts';
import { checkNat } from './check-nat.ts';
import { checkAddresses, checkServices } from './check-services.ts';
import type { ScenarioVocabulary } from './load.ts';
import type { MistakeSpec, Scenario, Step } from './model.ts';
import type { PlaceFinder } from './positions.ts';
import { didYouMean, type Problem, type Report } from './problem.ts';
import type { Expectation } from './schema.ts';

type Path = readonly PropertyKey[];

/** Checks what a schema cannot: addresses, names that refer to each other, what each fault needs. */
export function checkScenario(scenario: Scenario, finder: PlaceFinder, vocabulary: ScenarioVocabulary): Problem[] {
  const check = new Checker(scenario, finder, vocabulary);
  check.version();
  check.networks();
  check.machines();
  check.services();
  check.allSteps();
  check.expectations(scenario.expect, ['expect']);
  check.guarantees(scenario.violates, ['violates']);
  for (const mistake of scenario.mistakes) check.mistake(mistake);
  return check.problems;
}

class Checker {
  readonly problems: Problem[] = [];
  readonly #report: Report = (path, message, hint) => this.#add(path, message, hint);
  #scenario: Scenario;
  #finder: PlaceFinder;
  #vocabulary: ScenarioVocabulary;
  #machineNames: readonly string[];

  constructor(scenario: Scenario, finder: PlaceFinder, vocabulary: ScenarioVocabulary) {
    this.#scenario = scenario;
    this.#finder = finder;
    this.#vocabulary = vocabulary;
    this.#machineNames = scenario.machines.map((machine) => machine.name);
  }

  #add(path: Path, message: string, hint?: string, which: 'key' | 'value' = 'value'): void {
    this.problems.push({
      file: this.#scenario.file,
      ...this.#finder.find(path, which),
      message,
      ...(hint !== undefined && { hint }),
    });
  }

  version(): void {
    const { talosVersion } = this.#scenario;
    const known = this.#vocabulary.talosVersions;
    if (!known.includes(talosVersion))
      this.#add(['talos'], `Talos ${talosVersion} is not simulated`, `simulated: ${known.join(', ')}`);
  }

  networks(): void {
    if (this.#scenario.networks.length === 0) this.#add(['network'], 'a scenario needs at least one network');
    for (const network of this.#scenario.networks) {
      const cidr = parseCidr(network.cidr);
      const path = ['network', network.name];
      if (cidr === undefined)
        this.#add([...path, 'cidr'], `"${network.cidr}" is not an IPv4 prefix`, 'write it like 10.0.0.0/24');
      checkNat(network, this.#scenario.networks, this.#report);
      if (network.gateway === undefined) continue;
      const gateway = parseIpv4(network.gateway);
      if (gateway === undefined) this.#add([...path, 'gateway'], `"${network.gateway}" is not an IPv4 address`);
      else if (cidr !== undefined && !cidrContains(cidr, gateway))
        this.#add([...path, 'gateway'], `gateway ${network.gateway} is outside ${network.cidr}`);
    }
  }

  machines(): void {
    const owners = new Map<string, string>();
    for (const network of this.#scenario.networks)
      if (network.gateway !== undefined) owners.set(network.gateway, `the gateway of ${network.name}`);
    if (this.#scenario.machines.length === 0) this.#add(['machines'], 'a scenario needs at least one machine');
    for (const machine of this.#scenario.machines) {
      const path = ['machines', machine.name, 'address'];
      const network = this.#scenario.networks.find((other) => other.name === machine.network);
      if (network === undefined) {
        this.#add(
          ['machines', machine.name, 'network'],
          `network "${machine.network}" is not defined`,
          this.#near(
            machine.network,
            this.#scenario.networks.map((n) => n.name),
          ),
        );
        continue;
      }
      const address = parseIpv4(machine.address);
      const cidr = parseCidr(network.cidr);
      if (address === undefined) this.#add(path, `"${machine.address}" is not an IPv4 address`);
      else if (cidr !== undefined && !cidrContains(cidr, address))
        this.#add(path, `${machine.address} is outside ${network.cidr} of network ${network.name}`);
      const owner = owners.get(machine.address);
      if (owner !== undefined)
        this.#add(
          path,
          `address ${machine.address} is already held by ${owner}`,
          'give each machine an address of its own',
        );
      owners.set(machine.address, machine.name);
      this.#disks(
        machine.name,
        machine.disks.map((disk) => disk.name),
      );
    }
  }

  services(): void {
    checkServices(this.#scenario, this.#report);
  }

  expectations(expect: readonly Expectation[], path: Path): void {
    expect.forEach(({ machine, command }, index) => {
      const here = [...path, index];
      if (machine !== undefined && !this.#machineNames.includes(machine.name))
        this.#add(
          [...here, 'machine', 'name'],
          `machine "${machine.name}" is not defined`,
          this.#near(machine.name, this.#machineNames),
        );
      if (command === undefined) return;
      const split = splitWords(command.run);
      const problem = split.error ?? this.#vocabulary.commandProblem(split.words);
      if (problem !== undefined) this.#add([...here, 'command', 'run'], problem);
    });
  }

  #disks(machine: string, names: readonly string[]): void {
    names.forEach((name, index) => {
      if (names.indexOf(name) !== index)
        this.#add(['machines', machine, 'disks', index, 'name'], `machine ${machine} has two disks named ${name}`);
    });
  }

  allSteps(): void {
    const ids = new Set<string>();
    this.#steps(this.#scenario.steps, ['steps'], ids, new Set());
  }

  #steps(steps: readonly Step[], path: Path, ids: Set<string>, names: Set<string>): void {
    steps.forEach((step, index) => {
      const here = [...path, index];
      if (step.id !== undefined && ids.has(step.id)) this.#add([...here, 'id'], `step id "${step.id}" is used twice`);
      if (step.id !== undefined) ids.add(step.id);
      if (step.kind === 'parallel') this.#steps(step.steps, [...here, 'parallel'], ids, names);
      if (step.kind === 'fault') this.#fault(step.fault, here, names);
      if (step.kind === 'wait' && !names.has(step.name))
        this.#add([...here, 'wait'], `no earlier step has "as: ${step.name}"`, this.#near(step.name, [...names]));
      if (step.as !== undefined && names.has(step.as))
        this.#add([...here, 'as'], `the name "${step.as}" is used twice`);
      if (step.as !== undefined) names.add(step.as);
      if (step.background && step.as === undefined && step.kind === 'wait')
        this.#add([...here, 'background'], 'waiting in the background does nothing');
    });
  }

  #fault(fault: FaultSpec, path: Path, names: ReadonlySet<string>): void {
    const senseless = senselessFault(fault, this.#scenario);
    if (senseless !== undefined) this.#add([...path, 'fault'], senseless);
    checkAddresses(fault.addresses ?? [], [...path, 'addresses'], this.#report);
    const known = this.#machineNames;
    for (const name of [...fault.machines, ...(fault.from ?? []), ...(fault.to ?? [])]) {
      if (!known.includes(name))
        this.#add([...path, 'fault'], `machine "${name}" is not defined`, this.#near(name, known));
    }
    const disk = unknownDisk(fault, this.#scenario.machines);
    if (disk !== undefined) this.#add([...path, 'disk'], disk);
    const missing = missingArgument(fault);
    if (missing !== undefined) this.#add([...path, 'fault'], `fault ${fault.fault} needs ${missing}`);
    if (fault.name !== undefined && !names.has(fault.name))
      this.#add([...path, 'name'], `no earlier step has "as: ${fault.name}"`, this.#near(fault.name, [...names]));
  }

  mistake(mistake: MistakeSpec): void {
    const path = ['mistakes', mistake.name];
    const ids = new Set<string>();
    collectIds(this.#scenario.steps, ids);
    for (const [field, id] of [
      ['after', mistake.after],
      ['before', mistake.before],
    ] as const) {
      if (id !== undefined && !ids.has(id))
        this.#add([...path, field], `no step has the id "${id}"`, this.#near(id, [...ids]));
    }
    for (const id of mistake.skips)
      if (!ids.has(id)) this.#add([...path, 'skips'], `no step has the id "${id}"`, this.#near(id, [...ids]));
    if (mistake.after !== undefined && mistake.before !== undefined)
      this.#add(path, 'give either "after" or "before", not both');
    if (mistake.after === undefined && mistake.before === undefined)
      this.#add(path, 'say when the mistake happens: "after: ID" or "before: ID" of a step', undefined, 'key');
    this.#steps(mistake.steps, [...path, 'steps'], new Set(ids), new Set());
    this.guarantees(mistake.violates, [...path, 'violates']);
    this.expectations(mistake.expect ?? [], [...path, 'expect']);
  }

  guarantees(names: readonly string[], path: Path): void {
    names.forEach((name, index) => {
      const known = this.#vocabulary.guarantees;
      if (!known.includes(name))
        this.#add(
          [...path, index],
          `no checker watches a guarantee called "${name}"`,
          this.#near(name, known) ?? `known: ${known.join(', ')}`,
        );
    });
  }

  #near(typed: string, known: readonly string[]): string | undefined {
    const near = didYouMean(typed, known);
    return near === undefined ? undefined : `did you mean "${near}"?`;
  }
}

function collectIds(steps: readonly Step[], into: Set<string>): void {
  for (const step of steps) {
    if (step.id !== undefined) into.add(step.id);
    if (step.kind === 'parallel') collectIds(step.steps, into);
  }
}

/** A fault of a disk that one of its machines does not have would do nothing. */
export function unknownDisk(fault: FaultSpec, machines: Scenario['machines']): string | undefined {
  if (fault.disk === undefined) return undefined;
  for (const { name, disks } of machines) {
    if (!fault.machines.includes(name) || disks.some((disk) => disk.name === fault.disk)) continue;
    return `machine "${name}" has no disk "${fault.disk}"; it has ${disks.map((disk) => disk.name).join(', ')}`;
  }
  return undefined;
}

/** A clock that goes half as fast again, or half as fast: beyond every oscillator, and time still moves. */
const MAX_DRIFT_PPM = 500_000;

/** Why a fault that has all it needs would still do nothing, or what nobody means. */
export function senselessFault(fault: FaultSpec, { dns, loadBalancer }: Scenario): string | undefined {
  if (dns === undefined && (fault.fault === 'dns-record' || fault.service === 'dns'))
    return 'there is no name server; describe one in services.dns';
  if (loadBalancer === undefined && fault.service === 'load-balancer')
    return 'there is no load balancer; describe one in services.loadBalancer';
  if (fault.fault === 'delay' && (fault.amount ?? 0) < 0) return 'a delay cannot be negative';
  if (fault.fault === 'clock-drift' && Math.abs(fault.amount ?? 0) > MAX_DRIFT_PPM)
    return `a clock drifts by ${MAX_DRIFT_PPM} parts per million at most`;
  const both = fault.from?.find((name) => fault.to?.includes(name) === true);
  return both === undefined ? undefined : `${both} stands on both sides`;
}

/** What a fault of this kind cannot do without. */
export function missingArgument(fault: FaultSpec): string | undefined {
  switch (fault.fault) {
    case 'heal':
      return undefined;
    case 'partition':
      return fault.from === undefined || fault.to === undefined
        ? '"from" and "to", each a list of machines'
        : undefined;
    case 'delay':
      return fault.amount === undefined ? '"by", the added delay such as 20ms' : undefined;
    case 'loss':
      return fault.percent === undefined ? '"percent" of packets' : undefined;
    case 'service-down':
    case 'service-up':
      return fault.service === undefined ? `"service": ${OUTSIDE_SERVICES.join(', ')}` : undefined;
    case 'dns-record':
      return fault.record === undefined ? '"record", the name of a host' : undefined;
    case 'kill':
    case 'stop':
    case 'continue':
      return fault.machines.length === 0 || fault.process === undefined
        ? '"machine" and "process", such as etcd'
        : undefined;
    case 'alter-etcd':
      return fault.machines.length === 0 || fault.key === undefined ? '"machine" and "key"' : undefined;
    case 'clock-jump':
    case 'clock-drift':
      return fault.machines.length === 0 || fault.amount === undefined ? '"machine" and "by"' : undefined;
    case 'power-off':
    case 'power-on':
    case 'reboot':
    case 'freeze':
    case 'unfreeze':
    case 'isolate':
    case 'disk-full':
    case 'disk-slow':
    case 'disk-errors':
    case 'blank-disk':
      return fault.machines.length === 0 ? '"machine" or "machines"' : undefined;
    default:
      return unreachable(fault.fault);
  }
}

function unreachable(value: never): never {
  throw new Error(`unexpected fault ${String(value)}`);
}
