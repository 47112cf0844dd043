import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

interface Folders {
  readonly from: string;
  readonly to: string;
}

/** Compresses what was built once and for all, and puts it in its place. */
export function finishedFolder({ from, to }: Folders): Plugin {
  let hasFailed = false;
  return {
    name: 'finished-folder',
    apply: 'build',
    buildEnd: (error) => {
      hasFailed = error !== undefined;
    },
    closeBundle: {
      order: 'post',
      handler: () => {
        if (hasFailed) return;
        for (const entry of readdirSync(from, { recursive: true, withFileTypes: true }))
          if (entry.isFile() && /\.(js|css|svg)$/.test(entry.name)) compress(join(entry.parentPath, entry.name));
        rmSync(to, { recursive: true, force: true });
        renameSync(from, to);
      },
    },
  };
}

function compress(file: string): void {
  const bytes = readFileSync(file);
  if (bytes.length < bytesMin) return;
  writeFileSync(`${file}.br`, brotliCompressSync(bytes));
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
}

/** Below, the headers are most of the reply. */
const bytesMin = 1_000;
