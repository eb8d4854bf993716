import type { ClusterView } from '../lab/view/types.ts';

/** Everything the screen shows; the screen is a pure function of it. */
export interface ScreenModel {
  readonly title: string;
  readonly seed: number;
  readonly nowUs: number;
  readonly playing: boolean;
  /** Simulated seconds per real second. */
  readonly speed: number;
  readonly view: ClusterView;
  /** Notable events, oldest first. */
  readonly log: readonly string[];
  /** Index into `view.machines` of the selected row. */
  readonly selected: number;
  /** First line of the help that is shown; undefined while the help is closed. */
  readonly help: number | undefined;
  /** Text of the command prompt while it is open. */
  readonly prompt: string | undefined;
  /** What the last key did, as the command that does it; else what can be done now. */
  readonly echo: string;
}

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}
