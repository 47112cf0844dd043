import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/**
 * Asks a person for a line. What is typed is shown, unless it is secret.
 * @returns undefined if the person gives up, by Ctrl-C or the end of the input.
 */
export function askLine({ input, output }: Terminal, question: string, isSecret = false): Promise<string | undefined> {
  let isShown = true;
  const shown = new Writable({
    write: (chunk: Buffer, _, done) => {
      if (isShown) output.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input, output: shown, terminal: true });
  return new Promise((resolve) => {
    const end = (answer: string | undefined): void => {
      // Before the end of the lines says that there is no answer.
      resolve(answer);
      lines.close();
      if (isSecret || answer === undefined) output.write('\n');
    };
    lines.once('SIGINT', () => end(undefined));
    lines.once('close', () => resolve(undefined));
    lines.question(`${question} `, (answer) => end(answer));
    isShown = !isSecret;
  });
}
