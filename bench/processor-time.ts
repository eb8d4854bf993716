/** Processor time of `work` in milliseconds: what one core would need, whatever else the machine is doing. */
export function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
