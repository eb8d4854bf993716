/** Exit codes of talosim's own commands (docs/scenarios.md). */
export const EXIT = Object.freeze({
  passed: 0,
  failed: 1,
  badInput: 2,
  notDeterministic: 3,
  inconclusive: 4,
  bug: 70,
  interrupted: 130,
});
