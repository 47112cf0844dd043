/** The limits of one script. */
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

/** Why a script gave no value: it threw, or would not end, took too much memory, or made too large a value. */
export type ScriptFault = 'failed' | 'timeout' | 'memory' | 'output';

/** A script that gave no value. Of the script alone: no frame and no path of the platform is in it. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError';
  readonly fault: ScriptFault;
  /** In the source, from 1; undefined where the script does not give it. */
  readonly line: number | undefined;
  /** The CPU time it took until then. */
  readonly cpuMilliseconds: number;
  readonly log: ScriptLog | undefined;

  constructor(
    fault: ScriptFault,
    message: string,
    line?: number,
    until: Partial<Pick<ScriptError, 'cpuMilliseconds' | 'log'>> = {},
  ) {
    super(message);
    this.cpuMilliseconds = until.cpuMilliseconds ?? 0;
    this.log = until.log;
    this.fault = fault;
    this.line = line;
  }
}

export interface ScriptLog {
  readonly lines: readonly string[];
  /** The number of further lines that were not kept. */
  readonly left_out?: number | undefined;
}

/** The log as the realm of a script gives it; undefined where nothing was written. */
export function readLog(json: string): ScriptLog | undefined {
  const reported: unknown = JSON.parse(json);
  if (!isObject(reported) || !Array.isArray(reported.lines) || reported.lines.length === 0) return undefined;
  const lines = reported.lines.map((line) => lineOfLog(String(line)));
  return logOf(lines, Number(reported.left_out));
}

/** The text as it can be stored and given back. */
export function lineOfLog(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

const runCharactersMax = 64 * 1024;

/** The characters of log lines that all scripts of a run may keep. */
export class LogBudget {
  #left = runCharactersMax;

  /** The first lines of a log, as far as there is room. */
  take({ lines, left_out = 0 }: ScriptLog): ScriptLog {
    const kept: string[] = [];
    for (const line of lines) {
      this.#left -= line.length;
      if (this.#left < 0) break;
      kept.push(line);
    }
    return logOf(kept, left_out + lines.length - kept.length);
  }
}

function logOf(lines: readonly string[], leftOut: number): ScriptLog {
  return { lines, ...(leftOut === 0 ? {} : { left_out: leftOut }) };
}
