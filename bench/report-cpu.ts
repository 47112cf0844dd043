/**
 * Loaded into both servers (`--import`): answers each message on the IPC channel with the CPU time that the process
 * has used so far, in microseconds, all of its threads together. The channel does not keep the process alive.
 */
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMicroseconds: user + system });
});
process.channel?.unref();
