/** What a script wrote by `console`. */
export interface ScriptLog {
  readonly lines: readonly string[];
  /** How many further lines were not kept. */
  readonly left_out?: number;
}

/** The log as the realm of a script tells it; undefined where nothing was written. */
export function readLog(json: string): ScriptLog | undefined {
  const told: unknown = JSON.parse(json);
  if (!isObject(told) || !Array.isArray(told.lines) || told.lines.length === 0) return undefined;
  const lines = told.lines.map((line) => String(line).replaceAll('\0', '\ufffd').toWellFormed());
  return logOf(lines, Number(told.left_out));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

const runCharactersMax = 64 * 1024;

/** What all scripts of a run may have kept. */
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
