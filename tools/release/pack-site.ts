import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** Puts the files of a built site into one, as `gateway/site-files.ts` of the server reads it. */
export function packSite(from: string, to: string): void {
  const files = readdirSync(from, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('licenses.md'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const contents = files.map((file) => readFileSync(file));
  const lengths = files.map((file, index) => [relative(from, file).replaceAll(sep, '/'), contents[index]?.length]);
  mkdirSync(to, { recursive: true });
  writeFileSync(join(to, 'site.pack'), Buffer.concat([Buffer.from(`${JSON.stringify(lengths)}\n`), ...contents]));
}
