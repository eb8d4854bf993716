/** `0:01:23.456` of simulated time. */
export function clockText(us: number): string {
  const ms = Math.floor(us / 1000);
  const pad = (value: number, width: number): string => String(value).padStart(width, '0');
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 3600)}:${pad(Math.floor(seconds / 60) % 60, 2)}:${pad(seconds % 60, 2)}.${pad(ms % 1000, 3)}`;
}
