import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fieldNameProblem, newEntityNameProblem } from '../../packages/server/src/schema/names.ts';
import { expressionWords, reservedNamesPage, reservedNamesPath } from './reserved-names.ts';

test('the page of reserved names is what the lists say', () => {
  const committed = readFileSync(join(import.meta.dirname, '../..', reservedNamesPath), 'utf8');
  assert.equal(committed, reservedNamesPage(), 'run `node tools/docs/reserved-names.ts`');
});

/** The names in the first cells of the first table below a heading. */
function namesBelow(heading: string): readonly string[] {
  const section = reservedNamesPage().split(`\n## ${heading}\n`)[1] ?? '';
  const rows =
    section
      .trim()
      .split('\n\n')
      .find((block) => block.startsWith('| name | why')) ?? '';
  const cells = rows.split('\n').flatMap((line) => (line.startsWith('| `') ? (line.split('|')[1] ?? '') : []));
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
}

test('each name on it is refused, and words of expressions that are none are not on it', () => {
  const entities = namesBelow('Entities');
  assert.ok(entities.includes('workspace') && entities.includes('user') && entities.includes('constructor'));
  for (const name of entities) assert.notEqual(newEntityNameProblem(name), undefined, name);
  const fields = namesBelow('Fields');
  assert.ok(fields.includes('created_by') && fields.includes('sortby') && fields.includes('toString'));
  const isOfPlatform = (name: string) => /^(id|version|(created|updated)_(at|by))$/.test(name);
  for (const name of fields.filter((one) => !isOfPlatform(one)))
    assert.notEqual(fieldNameProblem(name), undefined, name);
  assert.deepEqual([expressionWords.length, new Set(expressionWords).size], [22, 22]);
});
