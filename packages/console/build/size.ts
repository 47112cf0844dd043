/** `npm run bench -- console-size`: the bytes of a first visit to Home, compressed by gzip, held to their bound. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { builtFolder } from './settings.ts';

const kilobytesMax = 240;

/** What the page loads for Home beside what index.html names. */
const screens = ['home'];

const assets = join(builtFolder, 'assets');
const names = readdirSync(assets);
const page = readFileSync(join(builtFolder, 'index.html'), 'utf8');
const wanted = [...page.matchAll(/(?:src|href)="\.\/assets\/([^"]+)"/g)].map(([, name = '']) => name);
for (const screen of screens) wanted.push(...names.filter((name) => isOf(screen, name)));

const found = new Set<string>();
for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
  if (found.has(name)) continue;
  found.add(name);
  const text = name.endsWith('.js') ? readFileSync(join(assets, name), 'utf8') : '';
  // What a chunk imports at once, not what it loads later by `import()`.
  wanted.push(...[...text.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)].map(([, imported = '']) => imported));
}

const sizes = [...found].map(
  (name) => [name, gzipSync(readFileSync(join(assets, name)), { level: 9 }).length] as const,
);
const total = sizes.reduce((sum, [, size]) => sum + size, gzipSync(page).length);
for (const [name, size] of sizes.sort(([, one], [, other]) => other - one))
  console.log(`${kilobytes(size).padStart(7)} KB  ${name}`);
console.log(`${kilobytes(total).padStart(7)} KB  in all by gzip; ${kilobytesMax} KB is the bound`);
process.exitCode = total > kilobytesMax * 1000 ? 1 : 0;

function isOf(screen: string, name: string): boolean {
  return name.startsWith(`${screen}-`) && /\.(js|css)$/.test(name);
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}
