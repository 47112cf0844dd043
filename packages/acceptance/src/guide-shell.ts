/** A shell in the root of a clone, and the pages of the guide that are pasted into it. */
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Example, examplesOf, type Shell } from './page-examples.ts';
import { type Platform, temporaryDirectory } from './platform.ts';

export const root = join(import.meta.dirname, '..', '..', '..');

/** A shell on the machine of a platform. */
export function guideShell({ app, management, dataDir }: Platform): Shell {
  return {
    cwd: root,
    env: {
      PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
      HOME: temporaryDirectory(),
      TMPDIR: temporaryDirectory(),
      APP: app,
      M: management,
      FREEHOLD_DATA_DIR: dataDir,
    },
  };
}

/** The pages name the addresses that a platform has by default; the one of the tests has others. */
export function guidePage(path: string, { app, management }: Platform): readonly Example[] {
  const text = readFileSync(join(root, path), 'utf8');
  return examplesOf(text.replaceAll('http://127.0.0.1:4000', app).replaceAll('http://127.0.0.1:4001', management));
}
