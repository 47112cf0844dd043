/** What one script may take. */
export const scriptLimits = {
  /** With the interpreter itself. */
  memoryBytes: 32 * 1024 * 1024,
  /** Of the interpreter. The thread has far more, so that the interpreter finds the overflow and not the engine around it. */
  stackBytes: 256 * 1024,
  threadStackMebibytes: 16,
  cpuMilliseconds: 500,
  /** Of JSON. */
  resultCharacters: 256 * 1024,
  messageCharacters: 500,
  /** Of `Intl`, whose work the host does: calls, different formats, and the characters of what goes in and comes out of one call. */
  intlCalls: 20_000,
  intlFormats: 100,
  intlTextCharacters: 10_000,
  intlListElements: 1000,
  intlResultCharacters: 64 * 1024,
  logLines: 50,
  /** Of one line. */
  logCharacters: 500,
} as const;
