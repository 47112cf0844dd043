/** Why a script gave no value: it threw, or would not end, took too much memory, or made too large a value. */
export type ScriptFault = 'failed' | 'timeout' | 'memory' | 'output';

/** A script that gave no value. Of the script alone: no frame and no path of the platform is in it. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError';
  readonly fault: ScriptFault;
  /** In the source, from 1; undefined where the script does not tell. */
  readonly line: number | undefined;
  /** What it took of the thread until then. */
  readonly cpuMilliseconds: number;

  constructor(fault: ScriptFault, message: string, line?: number, cpuMilliseconds = 0) {
    super(message);
    this.cpuMilliseconds = cpuMilliseconds;
    this.fault = fault;
    this.line = line;
  }
}
