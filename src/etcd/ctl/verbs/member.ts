import type { Member, MemberAddResponse, MembersResponse } from '../../../api/etcd/cluster.ts';
import { shortId } from '../../../api/etcd/ids.ts';
import type { Task } from '../../../platform/task.ts';
import { CtlExit, ExitCode, type Run } from '../context.ts';
import { boolFlag, type FlagSpecs, textFlag } from '../flags.ts';
import { memberListFields } from '../print/fields.ts';
import { memberAddJson, membersJson } from '../print/messages.ts';
import { lines, show } from '../print/show.ts';
import { renderTable } from '../print/table.ts';
import { wideId } from '../print/words.ts';
import { badArgs, parseHexId } from './arguments.ts';
import { CONSISTENCY_FLAG } from './kv.ts';

export const ADD_FLAGS: FlagSpecs = Object.freeze({
  'peer-urls': textFlag('comma separated peer URLs for the new member.'),
  learner: boolFlag('indicates if the new member is raft learner'),
});
export const UPDATE_FLAGS: FlagSpecs = Object.freeze({
  'peer-urls': textFlag('comma separated peer URLs for the updated member.'),
});
export const LIST_FLAGS: FlagSpecs = Object.freeze({ consistency: CONSISTENCY_FLAG });

/** Columns of `member list`. */
export const HEADINGS = Object.freeze(['ID', 'Status', 'Name', 'Peer Addrs', 'Client Addrs', 'Is Learner']);

function row(member: Member): readonly string[] {
  return [
    shortId(member.id),
    member.name === '' ? 'unstarted' : 'started',
    member.name,
    member.peerUrls.join(','),
    member.clientUrls.join(','),
    String(member.isLearner),
  ];
}

export function* listVerb(run: Run): Task<void> {
  const consistency = run.flags.text('consistency');
  if (consistency !== 'l' && consistency !== 's') {
    throw new CtlExit(ExitCode.BadFeature, `unknown consistency flag ${JSON.stringify(consistency)}`);
  }
  const answer = yield* run.client().memberList(consistency === 'l', run.limits);
  show(run, {
    simple: () => lines(answer.members.map((member) => row(member).join(', '))),
    json: () => lines([run.hex ? hexJson(answer) : membersJson(answer)]),
    table: () => renderTable(HEADINGS, answer.members.map(row)),
    fields: () => memberListFields(answer),
  });
}

/** With `--hex` the ids of a list are strings. */
function hexJson(answer: MembersResponse): string {
  const { clusterId, memberId, raftTerm } = answer.header!;
  const members = answer.members.map(
    (member) =>
      `{"ID":"${shortId(member.id)}","name":${JSON.stringify(member.name)},"peerURLs":${JSON.stringify(member.peerUrls)},` +
      `"clientURLs":${JSON.stringify(member.clientUrls)}}`,
  );
  const header = `{"cluster_id":"${shortId(clusterId)}","member_id":"${shortId(memberId)}","raft_term":${raftTerm}}`;
  return `{"header":${header},"members":[${members.join(',')}]}`;
}

export function* addVerb(run: Run): Task<void> {
  if (run.args.length < 1) badArgs('member name not provided');
  if (run.args.length > 1) badArgs('too many arguments');
  const [name] = run.args;
  const urls = run.flags.text('peer-urls');
  if (urls === '') badArgs('member peer urls not provided');
  const learner = run.flags.bool('learner');
  const answer = yield* run.client().memberAdd(urls.split(','), learner, run.limits);
  show(run, { simple: () => lines(addedLines(answer, name!, learner)), json: () => lines([memberAddJson(answer)]) });
}

/** What was added, and the environment that the new member is to be started with. */
function addedLines(answer: MemberAddResponse, name: string, learner: boolean): readonly string[] {
  const member = answer.member!;
  const cluster: string[] = [];
  for (const other of answer.members) {
    const known = other.id === member.id ? name : other.name;
    for (const url of other.peerUrls) cluster.push(`${known}=${url}`);
  }
  const as = learner ? 'added as learner to' : 'added to';
  return [
    `Member ${wideId(member.id)} ${as} cluster ${wideId(answer.header!.clusterId)}`,
    '',
    `ETCD_NAME="${name}"`,
    `ETCD_INITIAL_CLUSTER="${cluster.join(',')}"`,
    `ETCD_INITIAL_ADVERTISE_PEER_URLS="${member.peerUrls.join(',')}"`,
    'ETCD_INITIAL_CLUSTER_STATE="existing"',
  ];
}

function memberId(run: Run): string {
  if (run.args.length !== 1) badArgs('member ID is not provided');
  return parseHexId(run.args[0]!, 'member ID arg');
}

function printChange(run: Run, id: string, what: string, answer: MembersResponse): void {
  show(run, {
    simple: () => lines([`Member ${wideId(id)} ${what} cluster ${wideId(answer.header!.clusterId)}`]),
    json: () => lines([membersJson(answer)]),
  });
}

export function* removeVerb(run: Run): Task<void> {
  const id = memberId(run);
  printChange(run, id, 'removed from', yield* run.client().memberRemove(id, run.limits));
}

export function* promoteVerb(run: Run): Task<void> {
  const id = memberId(run);
  printChange(run, id, 'promoted in', yield* run.client().memberPromote(id, run.limits));
}

export function* updateVerb(run: Run): Task<void> {
  const id = memberId(run);
  const urls = run.flags.text('peer-urls');
  if (urls === '') badArgs('member peer urls not provided');
  printChange(run, id, 'updated in', yield* run.client().memberUpdate(id, urls.split(','), run.limits));
}
