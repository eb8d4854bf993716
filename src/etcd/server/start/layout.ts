import type { ServerConfig } from '../config/config.ts';

/** Where a member keeps what. Paths as the process sees them. */
export interface Layout {
  readonly dataDir: string;
  readonly memberDir: string;
  readonly snapDir: string;
  readonly walDir: string;
  readonly database: string;
}

/** Relative directories lie in the root: a container's working directory. */
export function layoutOf(config: Pick<ServerConfig, 'dataDir' | 'walDir'>): Layout {
  const dataDir = absolute(config.dataDir);
  const memberDir = `${dataDir}/member`;
  return {
    dataDir,
    memberDir,
    snapDir: `${memberDir}/snap`,
    walDir: config.walDir === '' ? `${memberDir}/wal` : absolute(config.walDir),
    database: `${memberDir}/snap/db`,
  };
}

function absolute(path: string): string {
  const trimmed = path.length > 1 ? path.replace(/\/+$/, '') : path;
  return trimmed.startsWith('/') ? trimmed : `/${trimmed}`;
}
