/** The table of keys in `docs/architecture.md` has each partition that is stored, in its scope, and no other. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readSourceTree, sourcesUnder } from '../source-tree.ts';
import { partitionsInCode } from './stored-keys.ts';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
const shapes = readFileSync(join(root, 'packages/server/src/testing/older-data/shapes.txt'), 'utf8');

interface Entry {
  /** As the page has it. */
  readonly scope: string;
  readonly partition: string;
}

/** By the scopes of the page: how the shapes call them. */
const scopes: Readonly<Record<string, readonly string[]>> = {
  '`platform` (platform store)': ['platform platform'],
  '`org#{org}`': ['test org#{org}', 'prod org#{org}'],
  '`org#{org}` in `prod`': ['prod org#{org}'],
  '`org#{org}-{tenant}`': ['test org#{org}-{tenant}', 'prod org#{org}-{tenant}'],
};
const everyScope = [...new Set(Object.values(scopes).flat())];

/** Of the rows of the table: an empty scope is that of the row above. */
function entriesOfPage(): readonly Entry[] {
  const [, table = ''] = page.split(/^\| scope \| partition \|.*\n\|[-|]+\n/m);
  const [rows = ''] = table.split('\n\n');
  let above = '';
  return rows
    .trimEnd()
    .split('\n')
    .flatMap((row) => {
      const [, scope = '', partitions = ''] = row.split('|').map((cell) => cell.trim());
      above = scope === '' ? above : scope;
      const inScope = above;
      return Array.from(partitions.matchAll(/`([^`]+)`/g), ([, partition = '']) => ({ scope: inScope, partition }));
    });
}

/** By scope and partition, as the test of stored shapes has seen them written. */
function writtenEntries(): readonly (readonly [scope: string, partition: string])[] {
  const lines = shapes.split('\n').flatMap((line) => {
    const [scope = '', partition] = line.split(' | ');
    return partition === undefined ? [] : [`${scope} | ${partition}`];
  });
  return [...new Set(lines)].map((line) => line.split(' | ') as [string, string]);
}

const entries = entriesOfPage();
const written = writtenEntries();
const inCode = partitionsInCode(sourcesUnder(readSourceTree(root), 'packages/server/src'));

function scopesOf({ scope }: Entry): readonly string[] {
  return scopes[scope] ?? everyScope;
}

/** A part in braces is any text. */
function covers({ partition: pattern }: Entry, partition: string): boolean {
  const literals = pattern.split(/\{[^}]*\}/).map((text) => text.replaceAll(/\W/g, String.raw`\$&`));
  return new RegExp(`^${literals.join('.+')}$`).test(partition);
}

test('the table, the shapes and the code have partitions, of the same scopes', () => {
  assert.ok(entries.length > 80 && written.length > 80 && inCode.length > 80, 'something was read');
  const scopesOfShapes = new Set(written.map(([scope]) => scope));
  assert.deepEqual([...scopesOfShapes].sort(), everyScope.toSorted());
});

test('each partition that was written has an entry in its scope', () => {
  const missing = written.filter(
    ([scope, partition]) => !entries.some((entry) => scopesOf(entry).includes(scope) && covers(entry, partition)),
  );
  assert.deepEqual(missing, []);
});

test('each partition in the code has an entry', () => {
  assert.deepEqual(
    inCode.filter((partition) => !entries.some((entry) => covers(entry, partition))),
    [],
  );
});

test('each entry is of a partition that was written in its scope, or was not written and is in the code', () => {
  const stale = entries.filter((entry) => {
    const seen = written.filter(([, partition]) => covers(entry, partition)).map(([scope]) => scope);
    return seen.length === 0
      ? !inCode.some((partition) => covers(entry, partition))
      : !seen.some((scope) => scopesOf(entry).includes(scope));
  });
  assert.deepEqual(stale, []);
});

test('no partition has two entries in a scope', () => {
  const names = entries.map(({ scope, partition }) => `${scope} ${partition}`);
  assert.deepEqual(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
  );
});
