import { printable } from './printable.ts';

/** Results go to standard output; all that only a person needs goes to standard error, and nowhere with `--json`. */
export interface Output {
  readonly isJson: boolean;
  /** Called once by a command, at its end: with `--json` the document, else the lines. */
  result(json: unknown, lines: readonly string[]): void;
  /** A line for a person. */
  note(line: string): void;
  /** What is being done, where a person looks on: replaced by the next one, and gone at the end. */
  progress(line: string): void;
}

export interface Streams {
  readonly stdout: NodeJS.WritableStream & { readonly columns?: number | undefined };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean | undefined };
}

export function createOutput({ stdout, stderr }: Streams, isJson: boolean): Output {
  const showsProgress = stderr.isTTY === true && !isJson;
  let hasProgress = false;
  const clear = (): void => {
    if (hasProgress) stderr.write('\r\u001b[K');
    hasProgress = false;
  };
  return {
    isJson,
    result: (json, lines) => {
      clear();
      stdout.write(
        isJson ? `${JSON.stringify(json, undefined, 2)}\n` : lines.map((line) => `${printable(line)}\n`).join(''),
      );
    },
    note: (line) => {
      if (isJson) return;
      clear();
      stderr.write(`${printable(line)}\n`);
    },
    progress: (line) => {
      if (!showsProgress) return;
      clear();
      stderr.write(printable(line));
      hasProgress = true;
    },
  };
}
