import type { ScriptLog } from './script-log.ts';

/** Why a script gave no value: it threw, or would not end, took too much memory, or made too large a value. */
export type ScriptFault = 'failed' | 'timeout' | 'memory' | 'output';

interface UntilThen {
  readonly cpuMilliseconds?: number | undefined;
  readonly log?: ScriptLog | undefined;
}

/** A script that gave no value. Of the script alone: no frame and no path of the platform is in it. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError';
  readonly fault: ScriptFault;
  /** In the source, from 1; undefined where the script does not tell. */
  readonly line: number | undefined;
  /** What it took of the thread until then. */
  readonly cpuMilliseconds: number;
  /** What it wrote until then. */
  readonly log: ScriptLog | undefined;

  constructor(fault: ScriptFault, message: string, line?: number, until: UntilThen = {}) {
    super(message);
    this.cpuMilliseconds = until.cpuMilliseconds ?? 0;
    this.log = until.log;
    this.fault = fault;
    this.line = line;
  }
}
