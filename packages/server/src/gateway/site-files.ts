/** The files of a built site, read once: a request reads no disk, and no path can leave the folder. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';

/** By their paths, such as `/assets/main-x.js`. */
export type SiteFiles = ReadonlyMap<string, SiteFile>;

export interface SiteFile {
  readonly contentType: string;
  readonly plain: Buffer;
  /** The same bytes by the name of their coding; none for what was not worth it. */
  readonly coded: Readonly<Partial<Record<Coding, Buffer>>>;
  /** Of the bytes, without quotes. */
  readonly digest: string;
}

/** Content codings, the preferred one first. */
export const codings = ['br', 'gzip'] as const;
export type Coding = (typeof codings)[number];

const endings: Readonly<Record<Coding, string>> = { br: '.br', gzip: '.gz' };

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/**
 * What others put into the folder, such as a source map or a `.DS_Store`, is not served.
 * @throws Error if the folder or a file cannot be read.
 */
export function readSiteFiles(folder: string): SiteFiles {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const known = new Set(names);
  const files = new Map<string, SiteFile>();
  for (const file of names) {
    const contentType = contentTypes[extname(file)];
    if (contentType === undefined) continue;
    const coded = codings
      .map((coding) => [coding, file + endings[coding]] as const)
      .filter(([, path]) => known.has(path))
      .map(([coding, path]) => [coding, readFileSync(path)] as const);
    const path = `/${file.slice(folder.length + 1).replaceAll(sep, '/')}`;
    const plain = readFileSync(file);
    const digest = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
    files.set(path, { contentType, plain, coded: Object.fromEntries(coded), digest });
  }
  return files;
}
