/**
 * `node packages/docs/build/build.ts [FOLDER]`, or `npm run build`: builds the documentation into `packages/docs/dist`, from where the platform serves it
 * and any static host can. Files are put beside their place and moved there when all are written.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { buildSite } from './site.ts';

const [folder = join(import.meta.dirname, '..', 'dist')] = process.argv.slice(2);
const to = resolve(folder);
/** Below, the headers are most of the reply. */
const bytesMin = 1_000;
const unfinished = `${to}.${process.pid}`;
for (const [path, text] of await buildSite()) {
  const file = join(unfinished, path);
  mkdirSync(dirname(file), { recursive: true });
  const bytes = Buffer.from(text);
  writeFileSync(file, bytes);
  if (bytes.length < bytesMin) continue;
  writeFileSync(`${file}.br`, brotliCompressSync(bytes));
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
}
rmSync(to, { recursive: true, force: true });
renameSync(unfinished, to);
