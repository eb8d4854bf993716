import type { Resource } from '../../cosi/index.ts';
import { hostPort, type WireguardPeerState } from '../../platform/net.ts';
import { addressOf } from '../net/addresses.ts';
import type { KubeSpanPeerSpecSpec, KubeSpanPeerStatusSpec } from '../resources/kubespan.ts';
import { isKubeSpanAddress } from './identity.ts';
import { nextEndpoint, type PeerView, peerState, UNSEEN_PEER } from './peer-state.ts';

interface Entry {
  readonly label: string;
  readonly view: PeerView;
  readonly receivedBytes: number;
  readonly sentBytes: number;
}

/** The Go zero time: it never happened. */
const NEVER = '0001-01-01T00:00:00Z';

/** What KubeSpan knows of all its peers, from one look at the kernel to the next. */
export class PeerTable {
  #entries = new Map<string, Entry>();

  /** Takes over what the kernel sees now, and picks endpoints where the old ones lead nowhere. Monotonic time. */
  update(specs: readonly Resource<KubeSpanPeerSpecSpec>[], kernel: readonly WireguardPeerState[], nowUs: number): void {
    const entries = new Map<string, Entry>();
    for (const { metadata, spec } of specs) {
      const seen = kernel.find(({ publicKey }) => publicKey === metadata.id);
      const before = this.#entries.get(metadata.id)?.view ?? UNSEEN_PEER;
      entries.set(metadata.id, {
        label: spec.label,
        view: viewAfter(before, seen, spec.endpoints, nowUs),
        receivedBytes: seen?.receivedBytes ?? 0,
        sentBytes: seen?.sentBytes ?? 0,
      });
    }
    this.#entries = entries;
  }

  /** Networks that are reached through the mesh alone: of all peers when that is forced, else of those that are up. */
  routed(specs: readonly Resource<KubeSpanPeerSpecSpec>[], forced: boolean): readonly string[] {
    return specs
      .filter(({ metadata }) => forced || this.#entries.get(metadata.id)?.view.state === 'up')
      .flatMap(({ spec }) => spec.allowedIPs)
      .filter((prefix) => !isKubeSpanAddress(addressOf(prefix)));
  }

  /** The endpoint that the kernel is told; empty leaves the one it has, when the peer roamed in under another. */
  configured(publicKey: string): string {
    const view = this.#entries.get(publicKey)?.view ?? UNSEEN_PEER;
    return view.endpoint === '' || view.endpoint === view.lastUsedEndpoint ? view.lastUsedEndpoint : '';
  }

  /** All peers; `timeText` prints an instant of monotonic time. */
  statuses(timeText: (monotonicUs: number) => string): ReadonlyMap<string, KubeSpanPeerStatusSpec> {
    const instant = (us: number | null): string => (us === null ? NEVER : timeText(us));
    return new Map(
      [...this.#entries].map(([id, { label, view, receivedBytes, sentBytes }]) => [
        id,
        {
          endpoint: view.endpoint,
          label,
          state: view.state,
          receiveBytes: receivedBytes,
          transmitBytes: sentBytes,
          lastHandshakeTime: instant(view.lastHandshakeUs),
          lastUsedEndpoint: view.lastUsedEndpoint,
          lastEndpointChange: instant(view.lastEndpointChangeUs),
        },
      ]),
    );
  }
}

function viewAfter(
  before: PeerView,
  seen: WireguardPeerState | undefined,
  endpoints: readonly string[],
  nowUs: number,
): PeerView {
  const heard = {
    ...before,
    endpoint: seen?.endpoint == null ? before.endpoint : hostPort(seen.endpoint),
    lastHandshakeUs: seen?.handshakeAgeUs == null ? before.lastHandshakeUs : nowUs - seen.handshakeAgeUs,
  };
  const judged = { ...heard, state: peerState(heard, nowUs) };
  const next = nextEndpoint(judged, endpoints);
  if (next === undefined) return judged;
  return { ...judged, endpoint: next, lastUsedEndpoint: next, lastEndpointChangeUs: nowUs, state: 'unknown' };
}
