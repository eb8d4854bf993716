import { etcdctl } from '../etcdctl/etcdctl.ts';
import { etcdutl } from '../etcdutl/etcdutl.ts';
import { kubectl } from '../kubectl/kubectl.ts';
import { talosctl } from '../talosctl/talosctl.ts';
import type { Tool } from './tool.ts';

/** What the operator's workstation has installed. */
export const OPERATOR_TOOLS: readonly Tool[] = Object.freeze([talosctl, etcdctl, etcdutl, kubectl]);
