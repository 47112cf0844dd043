/** What a process has used so far of the CPU, and uses of memory: all of its threads together. */
export interface Usage {
  readonly cpuMicroseconds: number;
  readonly residentBytes: number;
}

/**
 * Loaded into both servers (`--import`): answers each message on the IPC channel with what the process uses. The
 * channel does not keep the process alive.
 */
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  const usage: Usage = { cpuMicroseconds: user + system, residentBytes: process.memoryUsage.rss() };
  process.send?.(usage);
});
process.channel?.unref();
