import type { KernelControl, NetworkControl, ProcessNet } from '../net/types.ts';
import { Bug, NetError } from '../platform/errors.ts';
import type { MachineNet } from '../platform/net.ts';
import type { Task } from '../platform/task.ts';

/** A world without a network: machines have no links, every dial ends with `unreachable`. */
export function unpluggedNetwork(): NetworkControl {
  const kernels = new Map<string, KernelControl>();
  return {
    addSegment: () => {},
    addNode: () => {},
    addRouter: () => {},
    boot(node) {
      const kernel = unpluggedKernel(node);
      kernels.set(node, kernel);
      return kernel;
    },
    kernelOf: (node) => kernels.get(node),
    get faults(): never {
      throw new Bug('a world without a network has no network faults');
    },
  };
}

function unpluggedKernel(node: string): KernelControl {
  let alive = true;
  return {
    node,
    get alive() {
      return alive;
    },
    powerOff() {
      alive = false;
    },
    freeze() {},
    thaw() {},
    openProcess: () => unpluggedProcess(),
    addPod: (address) => ({ address, openProcess: () => unpluggedProcess(), remove() {} }),
  };
}

function unpluggedProcess(): ProcessNet<MachineNet> {
  return { net: UNPLUGGED, stop() {}, continue() {}, exit() {} };
}

function* nowhere(): Task<never> {
  throw new NetError('unreachable', 'connect: network is unreachable');
}

function* noAddress(): Task<never> {
  throw new NetError('address-not-available', 'bind: cannot assign requested address');
}

function noLink(link: string): never {
  throw new NetError('address-not-available', `no link ${link}`);
}

const UNPLUGGED: MachineNet = Object.freeze({
  dial: nowhere,
  listen: noAddress,
  bindDatagram: noAddress,
  links: () => [],
  addAddress: noLink,
  removeAddress: noLink,
  setLinkUp: noLink,
  setMtu: noLink,
  routes: () => [],
  addRoute: () => noLink('of a route'),
  removeRoute: () => {},
  announce: noLink,
  onChange: () => () => {},
});
