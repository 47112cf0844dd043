import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEntityContent } from '../../schema/port.ts';
import { sameVersions } from '../entity-rows.ts';
import { entityKind } from './entity.ts';

function contentOf(views: object) {
  const definition = { entityName: 'order', UpdateParams: [{ name: 'title' }] };
  const parsed = parseEntityContent({ definition, views });
  assert.ok('content' in parsed, JSON.stringify(parsed));
  return parsed.content;
}

const plain = contentOf({});
const viewed = contentOf({ list: { short: { fields: [{ name: 'title' }] } } });

test('of a changed entity only the configs that differ get the next version', () => {
  const live = { ...sameVersions(3), get: 2 };
  const change = { before: plain, after: viewed, live, next: 7 };
  assert.deepEqual(entityKind.storage.versionsAfter?.(change), { ...live, list: 7 });
  assert.deepEqual(entityKind.storage.versionsAfter?.({ ...change, after: plain }), live);
});

test('all configs of an entity that was not live get the next version', () => {
  for (const before of [undefined, plain])
    assert.deepEqual(
      entityKind.storage.versionsAfter?.({ before, after: plain, live: undefined, next: 7 }),
      sameVersions(7),
    );
  const live = { ...sameVersions(3), get: 2 };
  assert.deepEqual(
    entityKind.storage.versionsAfter?.({ before: undefined, after: plain, live, next: 7 }),
    sameVersions(7),
  );
});
