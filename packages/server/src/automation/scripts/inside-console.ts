/** How a script writes lines; a line that is too long ends in `…`. As of `inside.ts`, only the text of `prepareConsole` gets into the interpreter. */

export interface ConsoleOptions {
  readonly lines: number;
  /** Of one line. */
  readonly characters: number;
}

/** Gives what tells JSON of a `ScriptLog`, and then runs nothing that the script could have changed. */
export function prepareConsole({ lines: linesMax, characters }: ConsoleOptions): () => string {
  const { stringify } = JSON;
  const { apply, defineProperty } = Reflect;
  const [RealError, asText] = [Error, String];
  const cut = String.prototype.slice;
  /** JSON of the lines, with commas between them: a list could be changed by the script. */
  let lines = '';
  let [kept, leftOut] = [0, 0];

  const textOf = (value: unknown): string => {
    try {
      if (value instanceof RealError) return `${value.name}: ${value.message}`;
      return (typeof value === 'object' ? stringify(value) : undefined) ?? asText(value);
    } catch {
      return '[no text]';
    }
  };
  const lineOf = (values: readonly unknown[]): string => {
    let line = '';
    for (let at = 0; at < values.length && line.length < characters; at += 1)
      line += (at === 0 ? '' : ' ') + textOf(values[at]);
    return line.length > characters ? `${apply(cut, line, [0, characters - 1])}…` : line;
  };
  const log = (...values: readonly unknown[]): void => {
    const line = kept < linesMax ? lineOf(values) : '';
    // The text of a value may itself write lines.
    if (kept >= linesMax) leftOut += 1;
    else {
      lines += (kept === 0 ? '' : ',') + stringify(line);
      kept += 1;
    }
  };
  const methods = { log, info: log, warn: log, error: log, debug: log };
  defineProperty(globalThis, 'console', { value: methods, writable: true, configurable: true });
  return () => `{"lines":[${lines}],"left_out":${leftOut}}`;
}
