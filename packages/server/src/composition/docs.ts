/** The documentation that lies in `packages/docs/dist`: the pages at `/docs`, and the page of each app about its API. */
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { readSiteFiles, type SiteFiles } from '../gateway/site-files.ts';
import { root } from '../lib/installation.ts';
import { type BuiltSite, openBuiltSite, type SiteLog } from './built-site.ts';

type DocsSettings = Pick<Config, 'mode' | 'docs'>;

export function openDocs(
  { mode, docs }: DocsSettings,
  log: SiteLog,
  folder = join(root, 'packages', 'docs'),
): BuiltSite<SiteFiles> {
  return openBuiltSite({
    ...{ name: 'the docs', verb: 'are', mode, log, folder },
    isServed: docs,
    sources: [
      ...[
        'docs',
        'deploy/README.md',
        'CHANGELOG.md',
        'packages/contract/src',
        'packages/server/src/gateway/openapi',
      ].map((path) => join(root, path)),
    ],
    read: readSiteFiles,
  });
}
