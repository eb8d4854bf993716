/** How checks of side documents report. */
import type { Path } from '../errors.ts';
import type { ConfigObject } from '../schema/types.ts';

export type Report = (path: Path, message: string, severity?: 'warning') => void;

/** Reports the problems of one document. `minor` is the release whose rules apply. */
export type DocumentCheck = (value: ConfigObject, report: Report, minor: number) => void;
