import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';

/** The text of a file; undefined, with a mistake, for one in another encoding, whose letters would be replaced by U+FFFD. */
export function readUtf8(path: string, mistakes: string[]): string | undefined {
  const bytes = readFileSync(path);
  if (isUtf8(bytes)) return bytes.toString();
  const [line] = bytes
    .toString('latin1')
    .split('\n')
    .flatMap((text, index) => (isUtf8(Buffer.from(text, 'latin1')) ? [] : [index + 1]));
  mistakes.push(`${path}:${line ?? 1}: not in UTF-8: save the file in this encoding`);
  return undefined;
}
