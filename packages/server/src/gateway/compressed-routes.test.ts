import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appApi } from '@freehold/contract/app';
import { recordRoutes } from '@freehold/contract/app/records';
import { managementApi } from '@freehold/contract/management';
import { type Route, reply, route } from '@freehold/contract/route';
import { itemsOf, orNull, Type, text } from '@freehold/contract/schema';

const routes: readonly (readonly [name: string, route: Route])[] = [
  ...Object.entries(managementApi),
  ...Object.entries(appApi),
];

/** Members that hold what lets a caller in, leads to it, or proves something. */
const secretMembers = new Set(['token', 'secret', 'key', 'password', 'recovery_codes', 'challenge', 'uri', 'url']);
/** A code of this kind comes with the time or the link that it is good for; others name orgs, workspaces and faults. */
const besideCodes = ['url', 'expires_at'];
/** Members of such a name that hold nothing secret, by the name of the route. */
const otherwise: Readonly<Record<string, readonly string[]>> = {
  // Of a condition, such as `user.id`.
  findDecision: ['key'],
  // Of the stored definition, which its name makes.
  readEntity: ['key'],
};

function secretsIn(schema: unknown, seen = new Set<unknown>()): readonly string[] {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return [];
  seen.add(schema);
  const { properties } = schema as { readonly properties?: unknown };
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  const isSecret = (name: string) =>
    secretMembers.has(name) || (name === 'code' && besideCodes.some((other) => names.includes(other)));
  return [...names.filter(isSecret), ...Object.values(schema).flatMap((part) => secretsIn(part, seen))];
}

function secretsOf(name: string, { replies }: Route): readonly string[] {
  const found = Object.values(replies).flatMap(({ schema }) => secretsIn(schema));
  return found.filter((member) => !otherwise[name]?.includes(member));
}

function isCompressed([, { compressed }]: (typeof routes)[number]): boolean {
  return compressed !== undefined;
}

test('no reply that is compressed carries a secret, changes anything, or is a file', () => {
  for (const [name, one] of routes.filter(isCompressed)) {
    assert.deepEqual(secretsOf(name, one), [], name);
    assert.equal(one.method, 'GET', name);
    const types = Object.values(one.replies).flatMap(({ content = {} }) => Object.keys(content));
    assert.deepEqual(types, name === 'readMetrics' ? ['text/plain'] : [], name);
  }
});

test('every list in pages is compressed unless it carries a secret', () => {
  const isPage = ({ method, replies }: Route) =>
    method === 'GET' && 'nexttoken' in ((replies[200]?.schema as { properties?: object })?.properties ?? {});
  const left = routes.filter((one) => isPage(one[1]) && !isCompressed(one));
  assert.deepEqual(
    left.map(([name, one]) => [name, secretsOf(name, one)]),
    [['listEvents', ['url']]],
  );
  assert.deepEqual(
    Object.entries(recordRoutes).flatMap(([name, one]) => ('compressed' in one ? [name] : [])),
    ['list'],
  );
});

test('the documents are kept compressed, and have the tag that they are kept by', () => {
  const documents = routes.filter(([, { compressed }]) => compressed === 'document');
  assert.deepEqual(
    documents.map(([, { path }]) => path),
    ['/openapi.json', '/api/openapi.json', '/app/:org/openapi.json'],
  );
  for (const [name, { replies }] of documents) assert.ok(replies[200]?.headers?.includes('ETag'), name);
});

test('a secret is found at any depth of a reply, and each name is one of the contract', () => {
  const planted = (schema: Parameters<typeof reply>[1]) =>
    secretsOf(
      'planted',
      route({
        method: 'GET',
        path: '/planted',
        access: 'developer',
        tag: 'account',
        summary: 'A planted route',
        replies: { 200: reply('Planted.', schema) },
      }),
    );
  for (const member of [...secretMembers, 'code'])
    assert.ok(
      planted(itemsOf(Type.Object({ in: orNull(Type.Object({ [member]: text, expires_at: text })) }))).includes(member),
    );
  assert.deepEqual(planted(Type.Object({ code: text, name: text })), []);
  const all = new Set(routes.flatMap(([name, one]) => secretsOf(name, one)));
  assert.deepEqual([...all].toSorted(), [...secretMembers, 'code'].toSorted());
});
