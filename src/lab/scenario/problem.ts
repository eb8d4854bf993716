/** Something wrong with a file that a person wrote: where it is, what it is and how to mend it. */
export interface Problem {
  readonly file: string;
  /** 1-based; 0 when the problem has no place in the file. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly hint?: string;
}

/** Takes a problem at a path of the scenario. */
export type Report = (path: readonly PropertyKey[], message: string, hint?: string) => void;

/** One line, as compilers print it. */
export function formatProblem(problem: Problem): string {
  const where = problem.line > 0 ? `${problem.file}:${problem.line}:${problem.column}` : problem.file;
  return `${where}: ${problem.message}${problem.hint === undefined ? '' : `\n  hint: ${problem.hint}`}`;
}

/** The nearest of `known` to what was typed, when it is near enough to be a slip. */
export function didYouMean(typed: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(typed.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(typed, candidate);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(change, previous[j]! + 1, row[j - 1]! + 1));
    }
    previous = row;
  }
  return previous[b.length]!;
}
