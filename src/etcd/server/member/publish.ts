import { RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { urlTexts } from '../config/urls.ts';
import type { Member } from './member.ts';

/** Pause before publishing is tried again after an error that came at once. */
const RETRY_US = 100_000;
/** How long and how often a starting member looks for connected peers (reference/etcd.md A12). */
const LOOK_US = 50_000;
const LOOKS = 100;

/**
 * Tells the cluster this member's name and client URLs, until it is agreed. Only then the member is ready for clients
 * (reference/etcd.md B1).
 */
export function* publish(member: Member): Task<void> {
  const { config } = member.identity;
  const attributes = { name: config.name, clientUrls: urlTexts(config.advertiseClientUrls) };
  for (;;) {
    try {
      yield* member.proposals.request('clusterMemberAttrSet', { memberId: member.memberId, attributes });
      return;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
    }
    yield* member.platform.clock.sleep(RETRY_US);
  }
}

/**
 * Shortens the first election of a starting member: alone, all ticks but one pass at once; otherwise all but two, as soon
 * as more than one peer is connected.
 */
export function* advanceElection(member: Member): Task<void> {
  const { config } = member.identity;
  const { ticker } = member.driver;
  if (member.state.cluster.members().length === 1) {
    ticker.advance(config.electionTicks - 1);
    return;
  }
  if (!config.initialElectionTickAdvance) return;
  for (let i = 0; i < LOOKS; i++) {
    yield* member.platform.clock.sleep(LOOK_US);
    if (member.transport.connectedCount > 1) {
      ticker.advance(config.electionTicks - 2);
      return;
    }
  }
}
