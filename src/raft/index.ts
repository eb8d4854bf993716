/** The public face of the Raft library (`talosim/raft`): a pure state machine, driven by its host. */
export { RaftFatal } from './fatal.ts';
export * from './types.ts';
