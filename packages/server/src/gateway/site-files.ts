import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { type Coding, codings } from './compressing.ts';

/** The files of a built site, read once: a request reads no disk, and no path can leave the folder. */

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

const endings: Readonly<Record<Coding, string>> = { br: '.br', gzip: '.gz' };

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** The one file of a site in a release: npm takes longer over a thousand small files than over all else. */
const packedName = 'site.pack';

export function hasSite(folder: string): boolean {
  return ['index.html', packedName].some((name) => existsSync(join(folder, name)));
}

/**
 * A file that others put into the folder, such as a source map or a `.DS_Store`, is not served.
 * @throws Error if the folder or a file cannot be read.
 */
export function readSiteFiles(folder: string): SiteFiles {
  const packed = join(folder, packedName);
  const readers = existsSync(packed) ? readersInPacked(packed) : readersInFolder(folder);
  const files = new Map<string, SiteFile>();
  for (const [path, read] of readers) {
    const contentType = contentTypes[extname(path)];
    if (contentType === undefined) continue;
    const coded = codings.flatMap((coding) => {
      const readCoded = readers.get(path + endings[coding]);
      return readCoded === undefined ? [] : [[coding, readCoded()] as const];
    });
    const plain = read();
    const digest = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
    files.set(path, { contentType, plain, coded: Object.fromEntries(coded), digest });
  }
  return files;
}

type Readers = ReadonlyMap<string, () => Buffer>;

function readersInFolder(folder: string): Readers {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    files.map((file) => [`/${file.slice(folder.length + 1).replaceAll(sep, '/')}`, () => readFileSync(file)]),
  );
}

/** A line of JSON with the path and the length of each file, and then their bytes. */
function readersInPacked(file: string): Readers {
  const bytes = readFileSync(file);
  const end = bytes.indexOf('\n');
  const lengths: readonly (readonly [path: string, length: number])[] = JSON.parse(bytes.toString('utf8', 0, end));
  let from = end + 1;
  return new Map(
    lengths.map(([path, length]) => {
      const part = bytes.subarray(from, from + length);
      from += length;
      return [`/${path}`, () => part];
    }),
  );
}

/** A site that is built beside the platform, or comes built. */
export type SiteState<Files> =
  | { readonly is: 'off' }
  | { readonly is: 'building' }
  | { readonly is: 'missing' }
  | { readonly is: 'built'; readonly files: Files };

/** The facts that the management gateway has about its console. */
export interface ConsoleSource {
  /** Asked for each request, because a build may end while the platform runs. */
  current(): ConsoleState;
  /** The address of the app gateway for browsers; undefined where it is switched off. */
  appAddress(): AppAddress | undefined;
  /** The path of the management gateway's public address, with a slash at its end. */
  readonly basePath: string;
}

export const noConsole: ConsoleSource = {
  current: () => ({ is: 'off' }),
  appAddress: () => undefined,
  basePath: '/',
};

export type ConsoleState = SiteState<ConsoleFiles>;

export interface ConsoleFiles {
  /** The page, with the marks that each reply fills. */
  readonly page: string;
  readonly assets: SiteFiles;
}

/** The public address if there is one, or the port, at which the gateway is reached by the name of the request's host. */
export type AppAddress = { readonly url: string } | { readonly port: number };

/** The facts that the gateways has about the documentation, which both serve files of. */
export interface DocsSource {
  current(): SiteState<SiteFiles>;
}

export const noDocs: DocsSource = { current: () => ({ is: 'off' }) };
