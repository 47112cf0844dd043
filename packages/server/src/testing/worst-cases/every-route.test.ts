import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closed, oneOf, Type } from '@freehold/contract/schema';
import { checkSchema } from '../../lib/check-schema.ts';
import type { largestValue } from './largest/largest-value.ts';
import { rowOf } from './rows/default-row.ts';
import { keyOf, placesOf, routesOf, rowsOf } from './rows/every-route.ts';
import type { Stage } from './stage.ts';
import type { WrittenRow } from './worst-case.ts';

for (const gateway of ['app', 'management', 'metrics'] as const)
  test(`every route of the ${gateway} gateway has its largest, and the table no route that there is not`, () => {
    const keys = routesOf[gateway].map(keyOf);
    assert.deepEqual(
      placesOf(gateway).map(([key]) => key),
      keys,
    );
    const unknown = Object.keys(rowsOf[gateway]).filter((key) => !keys.includes(key));
    assert.deepEqual(unknown, []);
  });

const note = closed({
  title: Type.String({ minLength: 1, maxLength: 40 }),
  kind: oneOf(['short', 'much longer']),
  until: Type.Optional(Type.String({ format: 'date-time' })),
  color: Type.String({ minLength: 6, maxLength: 6, pattern: '^[a-f]{6}$' }),
  parts: Type.Array(closed({ text: Type.String({ maxLength: 100 }), place: Type.Integer({ maximum: 7 }) })),
});
const route = {
  ...{ method: 'PUT', path: '/org/notes/:id', access: 'developer', tag: 'org', summary: 'Writes a note' },
  query: closed({
    pagesize: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
    q: Type.Optional(Type.String({ maxLength: 5 })),
    dry_run: Type.Boolean({ default: false }),
  }),
  replies: {},
} as const;

/** The requests of a route that no gateway has. */
function requestsOf(body: Parameters<typeof largestValue>[0], written?: WrittenRow) {
  const listed = { ...route, route: { ...route, body } } as unknown as Parameters<typeof rowOf>[0];
  return Promise.all(rowOf(listed, written).largest.map(({ ask }) => ask({ org: 'acme' } as Stage)));
}

test('a route of which no row is written is sent the largest that its description permits', async () => {
  const [all, texts, ...others] = await requestsOf(note);
  assert.deepEqual(others, []);
  assert.match(String(all?.target), /^\/org\/notes\/[0-9a-f-]{36}\?pagesize=200$/);
  assert.match(String(texts?.target), /\?pagesize=200&q=aaaaa$/);
  const sent = String(all?.body);
  assert.ok(sent.length > 500_000 && sent.length <= 1024 * 1024, String(sent.length));
  const { parts, ...members } = JSON.parse(sent);
  assert.deepEqual(checkSchema(note, JSON.parse(sent)), []);
  assert.deepEqual({ title: members.title.length, kind: members.kind }, { title: 40, kind: 'much longer' });
  assert.deepEqual(parts.at(-1), { text: 'a'.repeat(100), place: 7 });
});

test('members that a row writes are sent in place of those of the description', async () => {
  const [all] = await requestsOf(note, { members: () => ({ kind: 'short', color: undefined, parts: [] }) });
  const { title, until, ...members } = JSON.parse(String(all?.body));
  assert.deepEqual(members, { kind: 'short', parts: [] });
});

test('a route of whose description no request can be made says so', async () => {
  const unfulfilled = Type.String({ maxLength: 2, pattern: '^b{3}$' });
  await assert.rejects(requestsOf(closed({ text: unfulfilled })), /its schema takes a text that is not made here/);
});
