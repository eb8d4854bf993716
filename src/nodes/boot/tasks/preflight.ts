import { NodeError } from '../../errors.ts';

/** Releases below and above its own whose hosts an installer accepts. */
const MINORS_BELOW = 2;
const MINORS_ABOVE = 2;

/**
 * What an installer checks before it touches anything: to 1.N it upgrades hosts from 1.(N−2) on and downgrades those
 * before 1.(N+2) (reference/lifecycle-api-cli.md C.3). Versions of another form are let through. Throws NodeError.
 */
export function checkHostVersion(host: string, target: string): void {
  const [from, to] = [minorOf(host), minorOf(target)];
  if (from === undefined || to === undefined) return;
  const [hostText, targetText] = [host.replace(/^v/, ''), target.replace(/^v/, '')];
  if (from < to - MINORS_BELOW) {
    throw new NodeError(
      `pre-flight checks failed: host version ${hostText} is too old to upgrade to Talos ${targetText}`,
    );
  }
  if (from >= to + MINORS_ABOVE) {
    throw new NodeError(
      `pre-flight checks failed: host version ${hostText} is too new to downgrade to Talos ${targetText}`,
    );
  }
}

function minorOf(version: string): number | undefined {
  const [, minor] = /^v?1\.(\d+)\.\d+/.exec(version) ?? [];
  return minor === undefined ? undefined : Number(minor);
}
