import { clockText } from '../view/clock-text.ts';
import { stageText } from './progress.ts';
import type { TriedMachine, TryResult } from './try.ts';

/** The verdict as text: each machine, how far it got, why no further, and how its world was made. */
export function tryReport(result: TryResult): string {
  const verdict = result.complete ? 'READY' : 'STOPPED';
  return `\n${result.machines.map(machineText).join('\n')}\n${verdict} after ${clockText(result.simulatedUs)} of simulated time\n`;
}

function machineText({ name, file, type, address, stage, reasons, notes }: TriedMachine): string {
  const lines = [`${file}: ${type} ${name}, ${address}`, `  gets as far as: ${stageText(stage)}`];
  for (const [index, reason] of reasons.entries())
    lines.push(`  ${index === 0 ? 'stops because' : '          and'}: ${reason}`);
  for (const note of notes) lines.push(`  note: ${note}`);
  return `${lines.join('\n')}\n`;
}
