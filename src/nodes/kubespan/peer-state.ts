import type { KubeSpanPeerState } from '../resources/kubespan.ts';
import { ENDPOINT_TIMEOUT_US, PEER_DOWN_US } from './constants.ts';

/** What KubeSpan knows of a peer. Times are monotonic; `endpoint` is where the kernel has it now. */
export interface PeerView {
  readonly state: KubeSpanPeerState;
  readonly endpoint: string;
  readonly lastUsedEndpoint: string;
  readonly lastHandshakeUs: number | null;
  readonly lastEndpointChangeUs: number | null;
}

export const UNSEEN_PEER: PeerView = Object.freeze({
  state: 'unknown',
  endpoint: '',
  lastUsedEndpoint: '',
  lastHandshakeUs: null,
  lastEndpointChangeUs: null,
});

/** The state of a peer from when its endpoint was changed and when it was heard last (reference/network-config.md C.9). */
export function peerState(peer: PeerView, nowUs: number): KubeSpanPeerState {
  const never = Number.NEGATIVE_INFINITY;
  const changedUs = peer.lastEndpointChangeUs ?? never;
  const heardUs = peer.lastHandshakeUs ?? never;
  const sinceChangeUs = nowUs - changedUs;
  let up: boolean;
  if (sinceChangeUs > PEER_DOWN_US) up = nowUs - heardUs < PEER_DOWN_US;
  else up = heardUs > changedUs;
  if (up) return 'up';
  if (sinceChangeUs < ENDPOINT_TIMEOUT_US) return 'unknown';
  return peer.lastUsedEndpoint === '' ? 'unknown' : 'down';
}

/** The endpoint to try now; undefined to stay with what there is. */
export function nextEndpoint(peer: PeerView, endpoints: readonly string[]): string | undefined {
  const wanted = peer.state === 'down' || peer.lastUsedEndpoint === '';
  if (!wanted || endpoints.length === 0) return undefined;
  const next = endpoints[(endpoints.indexOf(peer.lastUsedEndpoint) + 1) % endpoints.length]!;
  return endpoints.length === 1 && next === peer.endpoint ? undefined : next;
}
