import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { appApi } from '@freehold/contract/app';
import { managementApi } from '@freehold/contract/management';
import { type BodyOf, type ParamsOf, type QueryOf, type Route, reply, route } from '@freehold/contract/route';
import { closed, oneOf, Type, text } from '@freehold/contract/schema';
import type { GatewayRequest } from '../api/request.ts';
import { serve } from '../api/serve.ts';
import { checkSchema } from '../lib/check-schema.ts';
import type { JsonSchema } from '../lib/json-schema.ts';
import { Problem } from '../lib/problem.ts';
import { describedOperations } from './openapi/described-operations.ts';

const planted = route({
  method: 'POST',
  path: '/planted/:place',
  access: 'public',
  tag: 'operation',
  summary: 'A route with a limit of each kind',
  query: closed({
    size: Type.Integer({ minimum: 1, maximum: 7, default: 3, description: 'How many.' }),
    kind: Type.Optional(oneOf(['a', 'b'])),
  }),
  body: closed({ names: Type.Array(Type.String({ maxLength: 4 }), { maxItems: 2 }), note: Type.Optional(text) }),
  replies: { 201: reply('Planted.', Type.Object({ place: text, size: Type.Integer() })) },
});

const served = serve(planted, ({ params, query, body }) => ({
  place: params.place,
  size: query.size + body.names.length,
}));

async function send(query: Readonly<Record<string, string>>, body: unknown) {
  const incoming = {} as IncomingMessage;
  const request: GatewayRequest = {
    head: incoming,
    requestId: 'r',
    ip: '127.0.0.1',
    stream: undefined,
    params: { place: 'here' },
    query: new Map(Object.entries(query)),
    body,
  };
  return served.handle(request, undefined);
}

function refusedAt(code: Problem['code'], ...pointers: readonly string[]) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof Problem);
    assert.equal(error.code, code);
    assert.deepEqual(
      error.details.errors?.map(({ pointer }) => pointer),
      pointers,
    );
    return true;
  };
}

test('the limits of a description hold for what is sent', async () => {
  assert.deepEqual(await send({}, { names: ['a'] }), { status: 201, body: '{"place":"here","size":4}' });
  await assert.rejects(send({}, { names: ['a', 'b', 'c'] }), refusedAt('validation_failed', '/names'));
  await assert.rejects(send({}, { names: ['abcde'], note: 1 }), refusedAt('validation_failed', '/names/0', '/note'));
  await assert.rejects(send({}, { names: [], more: 1 }), refusedAt('unknown_field', '/more'));
  await assert.rejects(send({}, undefined), refusedAt('validation_failed', ''));
  for (const query of [{ size: '8' }, { size: '0' }, { size: '1e1' }, { size: '' }])
    await assert.rejects(send(query, { names: [] }), refusedAt('invalid_request', '/size'));
  await assert.rejects(send({ kind: 'c' }, { names: [] }), refusedAt('invalid_request', '/kind'));
  await assert.rejects(send({ other: 'c' }, { names: [] }), /unknown parameter/);
});

test('the document has the same limits', () => {
  const { operations } = describedOperations({ plant: planted }, {});
  const [operation] = operations;
  assert.deepEqual(
    operation?.parameters?.find(({ name }) => name === 'size'),
    {
      name: 'size',
      in: 'query',
      description: 'How many.',
      schema: { type: 'integer', minimum: 1, maximum: 7, default: 3 },
    },
  );
  const schema = operation?.body?.['application/json'] as { readonly properties: Readonly<Record<string, JsonSchema>> };
  assert.deepEqual(schema.properties.names, { type: 'array', maxItems: 2, items: { type: 'string', maxLength: 4 } });
  assert.ok(operation?.problems?.includes('validation_failed'));
});

test('the types follow from the description', () => {
  const body: BodyOf<typeof planted> = { names: ['a'] };
  const query: QueryOf<typeof planted> = { size: 1 };
  const params: ParamsOf<typeof planted> = { place: 'here' };
  // @ts-expect-error a list of numbers is none of strings
  const wrongBody: BodyOf<typeof planted> = { names: [1] };
  // @ts-expect-error one of two kinds
  const wrongQuery: QueryOf<typeof planted> = { size: 1, kind: 'c' };
  // @ts-expect-error the path has no such parameter
  const wrongParams: ParamsOf<typeof planted> = { other: 'here' };
  // @ts-expect-error the reply needs its size
  serve(planted, () => ({ place: 'here' }));
  assert.ok([body, query, params, wrongBody, wrongQuery, wrongParams]);
});

test('everything that a route takes is described by what the check understands', () => {
  const all: readonly [string, Route][] = [...Object.entries(managementApi), ...Object.entries(appApi)];
  let looked = 0;
  const look = (schema: unknown, place: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const value of ['x', 1, true, null, [], {}, ['x'], { x: 1 }])
      assert.doesNotThrow(() => checkSchema(schema as JsonSchema, value), place);
    looked += 1;
    const { properties = {}, items, anyOf = [] } = schema as Readonly<Record<string, object | undefined>>;
    for (const [name, member] of Object.entries(properties)) look(member, `${place}/${name}`);
    look(items, `${place}/0`);
    for (const branch of Object.values(anyOf)) look(branch, `${place}|`);
  };
  for (const [name, { body, query }] of all) {
    look(body, name);
    look(query, `${name}?`);
  }
  assert.ok(looked > 200, String(looked));
});
