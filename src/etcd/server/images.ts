import type { Program } from '../../platform/containers.ts';
import { ETCD_3_4 } from '../behaviour.ts';
import { etcdProgram } from './program.ts';

/** What a process that is an etcd image runs: for hosts, which load a module by name. */
export const etcd: Program = etcdProgram();

/** The same as Debian's 3.4, for comparing with it. */
export const etcd34: Program = etcdProgram({ behaviour: ETCD_3_4 });
