/** What no body may hold, sent to every route that takes one: each is refused, nothing is written, and the platform lives on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefusal } from './assert-problem.ts';
import { call } from './call.ts';
import {
  act,
  create,
  defineEntity,
  definition,
  foundedOrg,
  list,
  manage,
  newEmail,
  newOrgCode,
  password,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { rawCall } from './raw-call.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(
  org,
  definition('note', [
    { name: 'text', colType: 'string' },
    { name: 'amount', colType: 'number' },
  ]),
);
const current = await create(founder, 'note', { text: 'standing', amount: 1 });

/** A route that takes a body: where a good one stands, and the member into which a bad text is put. */
interface Target {
  readonly method: 'POST' | 'PUT';
  readonly url: string;
  readonly headers: readonly string[];
  readonly good: Readonly<Record<string, unknown>>;
  readonly member: string;
}

const appHeaders = [`Authorization: Bearer ${founder.token}`];
const builderHeaders = [`Authorization: Bearer ${org.builder.token}`];
const app = `${gateways.app}/app/${org.code}`;
const order = { ...definition('order', [{ name: 'title', colType: 'string' }]), entityName: 'order' };

const targets: readonly Target[] = [
  {
    method: 'POST',
    url: `${gateways.management}/auth/signup`,
    headers: [],
    good: { org_code: newOrgCode(), email: newEmail('never'), password, org_name: 'Never', name: 'Never' },
    member: 'name',
  },
  {
    method: 'POST',
    url: `${gateways.management}/auth/login`,
    headers: [],
    good: { email: newEmail('never'), password },
    member: 'password',
  },
  {
    method: 'POST',
    url: `${gateways.management}/api/create-order`,
    headers: builderHeaders,
    good: order,
    member: 'entityName',
  },
  {
    method: 'POST',
    url: `${app}/login`,
    headers: [`client_id: ${org.clientId}`],
    good: { email: newEmail('never'), password },
    member: 'password',
  },
  { method: 'POST', url: `${app}/create/note`, headers: appHeaders, good: { text: 'planted' }, member: 'text' },
  {
    method: 'PUT',
    url: `${app}/update/note/${current.id}`,
    headers: appHeaders,
    good: { text: 'planted' },
    member: 'text',
  },
  {
    method: 'POST',
    url: `${app}/create/aclpolicy`,
    headers: appHeaders,
    good: { name: 'planted', statements: [{ Effect: 'Allow', Action: ['*'], Resource: ['*'] }] },
    member: 'name',
  },
  {
    method: 'PUT',
    url: `${gateways.management}/api/create-note`,
    headers: builderHeaders,
    good: { entityName: 'note' },
    member: 'entityName',
  },
];

/** Puts raw JSON text in the place of one member's value. */
function withRaw({ good, member }: Target, raw: string): string {
  return JSON.stringify({ ...good, [member]: '@' }).replace('"@"', () => raw);
}

function withExtra({ good }: Target, raw: string): string {
  return `${JSON.stringify(good).slice(0, -1)},${raw}}`;
}

/** `strict-json.test.ts` and `read-json-body.test.ts` have every body that no route may take: these show that each route asks. */
const badBodies: readonly (readonly [string, (target: Target) => string | Uint8Array])[] = [
  [
    'D06: a key twice, once escaped',
    (target) =>
      withExtra(target, `"\\u00${target.member.charCodeAt(0).toString(16)}${target.member.slice(1)}":"second"`),
  ],
  ['D02: the key __proto__', (target) => withExtra(target, '"__proto__":{"role":"admin"}')],
  ['an object for a text', (target) => withRaw(target, '{"$ne":null}')],
];

test('the good bodies are good, so that what is refused below is refused for its fault', async () => {
  const [signUp, , definitionTarget, login, createTarget] = targets;
  for (const target of [signUp, login, createTarget, definitionTarget]) {
    if (target === undefined) continue;
    const extra = target.url.includes('/auth/') ? { org_code: newOrgCode(), email: newEmail('good') } : {};
    const body = { ...target.good, ...(target.url.includes('/api/') ? definition('good', []) : extra) };
    const reply = await rawCall(target.url, request(target, JSON.stringify(body)));
    assert.ok(reply.status < 300, `${target.url}: ${reply.text}`);
    const { id } = (reply.body ?? {}) as { id?: string };
    if (id !== undefined) await act(founder, 'DELETE', `/delete/note/${id}`);
  }
  await manage(org, 'DELETE', '/api/entity?entityname=good');
});

for (const [what, make] of badBodies) {
  test(`a body with ${what} is refused by every route that takes one, and writes nothing`, async () => {
    for (const target of targets) {
      const reply = await rawCall(target.url, request(target, make(target)));
      assertRefusal(reply, [400]);
    }
    await assertUntouched();
  });
}

for (const [what, value] of [
  ['an integer beyond 2^53', '9007199254740993'],
  ['an integer below -2^53', '-9007199254740993'],
  ['1e400', '1e400'],
  ['-1e400', '-1e400'],
  ['1e30', '1e30'],
  ['a number with a leading zero', '01'],
  ['a hexadecimal number', '0x10'],
  ['Infinity', 'Infinity'],
] as const) {
  test(`D05: a number field refuses ${what}`, async () => {
    const target = { good: { amount: 0 }, member: 'amount' } as unknown as Target;
    for (const [method, path] of [
      ['POST', '/create/note'],
      ['PUT', `/update/note/${current.id}`],
    ] as const) {
      const body = withRaw(target, value);
      assertRefusal(
        await rawCall(`${app}${path}`, request({ method, url: `${app}${path}`, headers: appHeaders }, body)),
        [400],
      );
    }
    await assertUntouched();
  });
}

test('I02: a body over 1 MiB is refused with 413, whether or not it tells its length', async () => {
  const big = `"${'a'.repeat(1024 * 1024)}"`;
  for (const target of targets) {
    assertRefusal(await rawCall(target.url, request(target, withRaw(target, big))), [413]);
    const chunked = { ...request(target, chunk(withRaw(target, big))) };
    const headers = [...chunked.headers, 'Transfer-Encoding: chunked'];
    assertRefusal(await rawCall(target.url, { ...chunked, headers }), [413]);
  }
  await assertUntouched();
});

test('I02: a compressed body is not unpacked', async () => {
  for (const target of targets) {
    const { headers, ...rest } = request(target, JSON.stringify(target.good));
    const reply = await rawCall(target.url, { ...rest, headers: [...headers, 'Content-Encoding: gzip'] });
    assertRefusal(reply, [400, 415]);
  }
  await assertUntouched();
});

for (const lines of [
  [],
  ['Content-Type: text/plain'],
  ['Content-Type: text/plain; charset=utf-8'],
  ['Content-Type: application/json\tx'],
  ['Content-Type: application/json garbage'],
  ['Content-Type: application/jsonx'],
  ['Content-Type: application/x-www-form-urlencoded'],
  ['Content-Type: multipart/form-data; boundary=x'],
  ['Content-Type: text/plain, application/json'],
  ['Content-Type: text/plain', 'Content-Type: application/json'],
  ['Content-Type: '],
]) {
  test(`B30: a body under ${JSON.stringify(lines)} is refused with 415 and not read`, async () => {
    for (const target of targets) {
      const good = request(target, JSON.stringify(target.good));
      const headers = [...target.headers, ...lines];
      assertRefusal(await rawCall(target.url, { ...good, headers }), [415]);
    }
    await assertUntouched();
  });
}

test('JSON in UTF-8 is taken with and without naming the charset, in any case', async () => {
  for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset=UTF-8']) {
    const reply = await act(founder, 'PUT', `/update/note/${current.id}`, {
      headers: { 'content-type': type },
      body: { text: 'standing' },
    });
    assert.equal(reply.status, 200, reply.text);
  }
});

function request(target: Pick<Target, 'method' | 'url' | 'headers'>, body: string | Uint8Array) {
  const { pathname, search } = new URL(target.url);
  const headers = [...target.headers, 'Content-Type: application/json'];
  return { method: target.method, target: `${pathname}${search}`, headers, body };
}

function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n0\r\n\r\n`;
}

async function assertUntouched(): Promise<void> {
  const { items } = await list(founder, 'note');
  assert.deepEqual(
    items.map(({ id, text, amount }) => ({ id, text, amount })),
    [{ id: current.id, text: 'standing', amount: 1 }],
  );
  assert.equal((await list(founder, 'aclpolicy')).items.length, 2);
  const entities = await manage<{ items: readonly { name: string }[] }>(org, 'GET', '/api/entities');
  assert.deepEqual(
    entities.body.items.map((item) => item.name),
    ['note'],
  );
  for (const gateway of [gateways.app, gateways.management]) {
    assert.equal((await call('GET', `${gateway}/healthz`)).status, 200);
  }
}
