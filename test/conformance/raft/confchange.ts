import { type Base, type Changed, enterJoint, leaveJoint, simpleChange } from '../../../src/raft/confchange/changer.ts';
import { parseConfChangeTokens } from '../../../src/raft/confchange/text.ts';
import { Inflights } from '../../../src/raft/inflights.ts';
import { describeMembers, describeProgressMap, NO_MEMBERS } from '../../../src/raft/tracker.ts';
import { booleanOf, type Case } from './script.ts';

const MAX_INFLIGHT_MSGS = 10;

/** An interpreter of configuration change scripts (reference/raft.md B14), one configuration through one file. */
export function confChangeRunner(): (test: Case) => string {
  let base: Base = {
    members: NO_MEMBERS,
    progress: new Map(),
    lastIndex: 0,
    newInflights: () => new Inflights(MAX_INFLIGHT_MSGS, 0),
  };
  return (test) => {
    const changed = change(base, test);
    // Counts failed commands too, so that the next index tells which command added a node.
    const lastIndex = base.lastIndex + 1;
    base = typeof changed === 'string' ? { ...base, lastIndex } : { ...base, ...changed, lastIndex };
    if (typeof changed === 'string') return `${changed}\n`;
    return `${describeMembers(changed.members)}\n${describeProgressMap(changed.progress)}`;
  };
}

function change(base: Base, test: Case): Changed {
  const changes = parseConfChangeTokens(test.input);
  if (typeof changes === 'string') return changes;
  switch (test.command) {
    case 'simple':
      return simpleChange(base, changes);
    case 'enter-joint': {
      const autoLeave = test.args.find(({ key }) => key === 'autoleave')?.values[0];
      return enterJoint(base, booleanOf(autoLeave ?? 'false'), changes);
    }
    case 'leave-joint':
      return changes.length > 0 ? 'this command takes no input' : leaveJoint(base);
    default:
      return 'unknown command';
  }
}
