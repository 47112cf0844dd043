/** The files of the console as they were built, read once: a request reads no disk, and no path can leave the folder. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';

export interface ConsoleFiles {
  /** The page, with the marks that each reply fills. */
  readonly page: string;
  /** By their paths, such as `/assets/main-x.js`. */
  readonly assets: ReadonlyMap<string, ConsoleAsset>;
}

export interface ConsoleAsset {
  readonly contentType: string;
  readonly plain: Buffer;
  /** The same bytes by the name of their coding; none for what was not worth it. */
  readonly coded: Readonly<Partial<Record<Coding, Buffer>>>;
}

/** Content codings, the preferred one first. */
export const codings = ['br', 'gzip'] as const;
export type Coding = (typeof codings)[number];

const endings: Readonly<Record<Coding, string>> = { br: '.br', gzip: '.gz' };

const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/**
 * What others put into the folder, such as a source map or a `.DS_Store`, is not served.
 * @throws Error if the folder or a file cannot be read.
 */
export function readConsoleFiles(folder: string): ConsoleFiles {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const codedNames = new Set(Object.values(endings));
  const assets = new Map<string, ConsoleAsset>();
  for (const file of names) {
    const ending = extname(file);
    if (codedNames.has(ending) || ending === '.html') continue;
    const contentType = contentTypes[ending];
    if (contentType === undefined) continue;
    const coded = codings
      .map((coding) => [coding, file + endings[coding]] as const)
      .filter(([, path]) => names.includes(path))
      .map(([coding, path]) => [coding, readFileSync(path)] as const);
    const path = `/${file.slice(folder.length + 1).replaceAll(sep, '/')}`;
    assets.set(path, { contentType, plain: readFileSync(file), coded: Object.fromEntries(coded) });
  }
  return { page: readFileSync(join(folder, 'index.html'), 'utf8'), assets };
}
