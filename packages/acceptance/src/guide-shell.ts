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

/** The examples of a page, for the addresses of a platform. */
export function guidePage(path: string, platform: Platform): readonly Example[] {
  return examplesOf(withAddressesOf(platform, readFileSync(join(root, path), 'utf8')));
}

/**
 * A text that names the addresses a platform has by default, with those of another platform. Both addresses are replaced in one pass:
 * the address of an app gateway at port 40012 begins with the default one of the management gateway.
 */
export function withAddressesOf({ app, management }: Pick<Platform, 'app' | 'management'>, text: string): string {
  return text.replaceAll(/http:\/\/127\.0\.0\.1:400([01])\b/g, (_, digit) => (digit === '0' ? app : management));
}
