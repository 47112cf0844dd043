/** The table of modules in `docs/architecture.md` is that of `tools/layers.ts`. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { modules } from '../layers.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'architecture.md'), 'utf8');
/** By module: the modules that it may import, each by the beginning of its entry, as `store (port, chain)`. */
const rows = new Map(
  Array.from(page.matchAll(/^\| `(\w+)\/` \|.*\| ([^|]+) \|$/gm), ([, name = '', column = '']) => [
    name,
    column.replaceAll(/ \([^)]*\)/g, '').split(', '),
  ]),
);

test('the page of the architecture has a row for each module', () => {
  const missing = Object.keys(modules).filter((name) => !rows.has(name));
  assert.deepEqual(missing, []);
});

for (const [name, imported] of Object.entries(modules)) {
  // It imports every module of the domain, and the page says so.
  if (name === 'gateway') continue;
  test(`the page says what ${name} may import`, () => {
    const tops = new Set(imported.map((path) => path.split('/')[0]));
    const listed = rows.get(name)?.filter((one) => one !== '–');
    assert.deepEqual(listed?.toSorted(), [...tops].sort());
  });
}
