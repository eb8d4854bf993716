export function isStale(): boolean;
export function build(): Promise<void>;
export function buildIfStale(): Promise<void>;
