import {
  type Data,
  decodeConfChange,
  EntryType,
  MemoryStorage,
  type Message,
  nodeId,
  RawNode,
} from '../../src/raft/index.ts';

const storage = new MemoryStorage();
const timing = { electionTick: 10, heartbeatTick: 1, electionJitter: (ticks: number) => ticks - 1 }; // the host's draw
export const node = new RawNode({ ...timing, id: nodeId(1), storage, maxInflightMsgs: 256 });
node.bootstrap([{ id: nodeId(1), context: null }]);

export function work(send: (message: Message) => void, apply: (data: Data) => void): void {
  while (node.hasReady()) {
    const { entries, hardState, snapshot, messages, committedEntries } = node.ready();
    if (snapshot !== null) storage.applySnapshot(snapshot); // 1. Make durable …
    storage.append(entries);
    if (hardState !== null) storage.setHardState(hardState);
    messages.forEach(send); // 2. … then send.
    for (const entry of committedEntries) {
      const change = entry.type === EntryType.Normal ? null : decodeConfChange(entry); // 3. Apply.
      if (change === null || typeof change === 'string') apply(entry.data);
      else node.applyConfChange(change);
    }
    node.advance(); // 4. Say that it is done.
  }
}
