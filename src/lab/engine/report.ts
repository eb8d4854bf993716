import { formatDurationUs } from '../../platform/text/duration.ts';
import { tabulate } from '../cobra/tabwriter.ts';
import { nodeText } from '../view/node-text.ts';
import type { ClusterView } from '../view/types.ts';
import type { RunResult } from './result.ts';

/** The report of a run in plain text: what was expected, what was violated, how it stands, why. */
export function reportText(result: RunResult, wallMs: number): string {
  const head = `${result.scenario}${result.mistake === undefined ? '' : ` — mistake: ${result.mistake}`}`;
  const parts = [`\n${head}\n`, machinesText(result.view), summaryText(result.view), expectationsText(result)];
  if (result.violations.length > 0) parts.push(violationsText(result));
  if (result.story.length > 0) parts.push(`${result.story.join('\n')}\n`);
  if (result.reasons.length > 0)
    parts.push(`Why it did not pass:\n${result.reasons.map((reason) => `  ✕ ${reason}\n`).join('')}`);
  const speed = wallMs > 0 ? `, ${Math.round(result.simulatedUs / 1000 / wallMs)}× real time` : '';
  parts.push(
    `${result.outcome.toUpperCase()}  seed ${result.seed}  digest ${result.digest}  ${formatDurationUs(Math.round(result.simulatedUs / 1000) * 1000)} simulated in ${(wallMs / 1000).toFixed(2)} s${speed}, ${result.events} events\n`,
  );
  return parts.join('\n');
}

/** The machines as a table. */
export function machinesText(view: ClusterView): string {
  const rows = view.machines.map((machine) => [
    machine.name,
    machine.power === 'off' ? 'off' : machine.stage,
    machine.disk,
    machine.config,
    machine.etcd,
    machine.controlPlane,
    machine.kubelet,
    nodeText(view, machine),
  ]);
  return tabulate([['MACHINE', 'STAGE', 'DISK', 'CONFIG', 'ETCD', 'CONTROL PLANE', 'KUBELET', 'NODE'], ...rows]);
}

function summaryText(view: ClusterView): string {
  const lines = view.etcd.clusters.map((cluster) => {
    const voters = cluster.members.filter((member) => !member.learner);
    const learners = cluster.members.length - voters.length;
    const leader = cluster.members.find((member) => member.id === cluster.leader)?.name ?? 'nobody';
    const names = voters.map((member) => member.name).join(', ');
    return `etcd cluster ${cluster.id}, born on ${cluster.birth.machine} at ${formatDurationUs(cluster.birth.atUs)} (${cluster.birth.how}): voters ${names}${learners > 0 ? ` and ${learners} learner` : ''}; leader ${leader}, term ${cluster.term}, revision ${cluster.revision}\n`;
  });
  if (lines.length === 0) lines.push('etcd was never born\n');
  if (view.vip !== undefined)
    lines.push(
      `VIP ${view.vip.address} is held by ${view.vip.owners.length === 0 ? 'nobody' : view.vip.owners.join(' and ')}\n`,
    );
  return lines.join('');
}

function expectationsText(result: RunResult): string {
  return result.expectations
    .map((check) => `${check.held ? '✓' : '✕'} ${check.text}${check.held ? '' : ` — saw ${check.saw}`}\n`)
    .join('');
}

function violationsText(result: RunResult): string {
  const lines = result.violations.map((violation) => {
    const known = result.declared.includes(violation.guarantee) ? ' (as declared)' : '';
    return `  ${violation.guarantee} at ${formatDurationUs(violation.atUs)}${known}: ${violation.detail}\n`;
  });
  return `Violated guarantees:\n${lines.join('')}`;
}
