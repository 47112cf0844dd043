import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { checkCode } from '../code-rules.ts';
import { readSourceTree, sourcesUnder } from '../source-tree.ts';
import { registryRules } from './registry-rules.ts';

const sources = sourcesUnder(readSourceTree(join(import.meta.dirname, '..', '..')), 'packages');
const rules = registryRules(sources);
const server = 'packages/server/src';

describe('the registries', () => {
  it('alone know what is entered in them by its name', () => {
    for (const { name, appliesTo } of rules) assert.ok([...sources.keys()].some(appliesTo), name);
    assert.deepEqual(checkCode(sources, rules), []);
  });
});

describe('the rules of the registries', () => {
  const kept: readonly (readonly [path: string, source: string])[] = [
    [`${server}/records/a.ts`, `if (index.kind === 'field') keep();`],
    [`${server}/records/a.ts`, `const item = { kind: 'entity', name };`],
    [`${server}/records/a.ts`, 'if (was.colType === is.colType) keep();'],
    [`${server}/records/a.test.ts`, `if (field.colType === 'guid') keep();`],
    [`${server}/promotion/testing/a.ts`, `if (kind === 'settings') keep();`],
    [`${server}/schema/field-types/guid.ts`, `if (colType === 'guid') keep();`],
    [`${server}/engines/sqlite-engine.ts`, `if (kind === 'sqlite') keep();`],
  ];
  for (const [path, source] of kept)
    it(`allow in ${path}: ${source}`, () => assert.deepEqual(checkCode(new Map([[path, source]]), rules), []));

  const broken: readonly (readonly [source: string, reason: RegExp])[] = [
    [`if (field.colType === 'guid') keep();`, /no field type/],
    [`if ('guid' !== (field.colType ?? 'string')) keep();`, /no field type/],
    [`if (['json', 'array'].includes(colType)) keep();`, /no field type/],
    [`switch (field.colType) {\n  case 'guid':\n    keep();\n}`, /a\.ts:2 .*no field type/],
    [`if (item.kind !== 'settings') keep();`, /no kind of config items/],
    [`switch (kind) {\n  case 'entity':\n    keep();\n}`, /no kind of config items/],
    [`if (store.kind === 'postgres') keep();`, /no engine/],
    [`if ('sqlite' === name) keep();`, /no engine/],
  ];
  for (const [source, reason] of broken)
    it(`refuse ${source.split('\n', 1).join()}`, () => {
      const found = checkCode(new Map([[`${server}/records/a.ts`, source]]), rules);
      assert.equal(found.length, 1, found.join('\n'));
      assert.match(found.join(), reason);
    });
});
