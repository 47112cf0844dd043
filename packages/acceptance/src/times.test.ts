/** Every door of a time reads RFC 3339 with its zone, as `datetime` fields do, and each format refuses what it is not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProblemCode } from '@freehold/contract/problem';
import { assertProblem, pointers } from './assert-problem.ts';
import { allow, create, defineEntity, definition, foundedOrg, manage, memberWith } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, definition('note', [{ name: 'title' }]));

/** A way to send a time to the platform, and where a mistake in it is reported. */
interface Door {
  readonly name: string;
  readonly send: (time: string) => ReturnType<typeof manage>;
  readonly taken: number;
  readonly refused: ProblemCode;
  readonly pointer: string;
}

function inQuery(path: string, name: string): Door {
  return {
    name: `${path} ${name}`,
    send: (time) => manage(org, 'GET', `${path}?${name}=${encodeURIComponent(time)}`),
    ...{ taken: 200, refused: 'invalid_request', pointer: `/${name}` },
  };
}

function inBody(path: string, pointer: string, bodyOf: (time: string) => unknown, taken = 200): Door {
  const send = (time: string) => manage(org, 'POST', path, { body: bodyOf(time) });
  return { name: `${path} ${pointer}`, send, ...{ taken, refused: 'validation_failed', pointer } };
}

const question = { user_id: founder.id, tenant_code: 'main', action: 'getnote', resource: '/item/note/x' };
const draft = { name: 'reader', statements: [allow('get*')] };
const key = { name: 'server', env: 'test', tenant_code: 'main', policies: [] };
const doors: readonly Door[] = [
  inQuery('/audit', 'from'),
  inQuery('/audit', 'to'),
  inQuery('/audit/export', 'from'),
  inQuery('/audit/export', 'to'),
  inQuery('/runs', 'since'),
  inQuery('/events/deliveries', 'since'),
  inQuery('/events/deliveries', 'until'),
  inBody('/events/deliveries/redeliver', '/since', (since) => ({ event: 'tell', state: 'dead', since }), 202),
  inBody('/events/deliveries/redeliver', '/until', (until) => ({ event: 'tell', state: 'dead', until }), 202),
  inBody('/org/service-keys', '/expires_at', (expires_at) => ({ ...key, expires_at }), 201),
  inBody('/deploy/keys', '/expires_at', (expires_at) => ({ name: 'ci', scope: 'publish', expires_at }), 201),
  inBody('/acl/replay', '/since', (since) => ({ tenant_code: 'main', draft, principals: [founder.id], since })),
  inBody('/acl/simulate', '/context/request/time', (time) => ({ ...question, context: { request: { time } } })),
];

const forms = [
  ...['2030-01-31T12:00:00Z', '2030-01-31T12:00:00.123456789Z', '2030-01-31T14:00:00.123456789+02:00'],
  ...['2030-01-31T12:00:00.123456+00:00', '2030-01-31t12:00:00.5z'],
];
const nonsense = [
  ...['-1', '1.5', 'March 7', '2030-01-31T12:00:00', '2030-01-31 12:00:00Z', '2030-01-31T12:00:60Z'],
  ...['2030-02-30T12:00:00Z', `2030-01-31T12:00:00.${'0'.repeat(45)}Z`],
];

for (const { name, send, taken, refused, pointer } of doors)
  test(`${name} takes the times that Go, Python and JavaScript write, and no others`, async () => {
    for (const form of forms) {
      const reply = await send(form);
      assert.equal(reply.status, taken, `${form}: ${reply.text}`);
    }
    for (const text of nonsense) {
      const problem = assertProblem(await send(text), refused);
      assert.deepEqual(pointers(problem), [pointer]);
      const [error] = problem.errors ?? [];
      assert.match(error?.message ?? '', /must be a time with its zone, such as `2026-11-20T09:30:00Z`/);
    }
    const ofDay = await send('2030-01-31');
    // The end of a key and the time of a question are moments; ranges begin and end with days too.
    const isMoment = /\/(?:expires_at|time)$/.test(pointer);
    assert.equal(ofDay.status, isMoment ? 400 : taken, ofDay.text);
  });

test('a time that is refused sends no delivery again, and one of another zone names the same moment', async () => {
  const noted = async (query: string) => {
    const reply = await manage<{ readonly items: readonly { readonly at: string; readonly action: string }[] }>(
      org,
      'GET',
      `/audit?action=delivery.sent_again${query}`,
    );
    assert.equal(reply.status, 200, reply.text);
    return reply.body.items;
  };
  const before = (await noted('')).length;
  for (const since of nonsense)
    assertProblem(
      await manage(org, 'POST', '/events/deliveries/redeliver', { body: { event: 'tell', state: 'dead', since } }),
      'validation_failed',
    );
  assert.equal((await noted('')).length, before);
  const body = { event: 'tell', state: 'dead' };
  assert.equal((await manage(org, 'POST', '/events/deliveries/redeliver', { body })).status, 202);
  const [latest] = await noted('');
  const at = latest?.at ?? assert.fail();
  const inZone = new Date(Date.parse(at) + 7_200_000).toISOString().replace('Z', '999+02:00');
  assert.deepEqual(
    (await noted(`&from=${encodeURIComponent(inZone)}`)).map((entry) => entry.at),
    [at],
  );
});

test('a key ends when its time says, cut to milliseconds, and one of the past is refused as such', async () => {
  const make = (expires_at: string) => manage(org, 'POST', '/org/service-keys', { body: { ...key, expires_at } });
  const made = await make('2030-01-31t14:00:00.1239999+02:00');
  assert.equal(made.body.expires_at, '2030-01-31T12:00:00.123Z', made.text);
  const problem = assertProblem(await make('2020-01-31T12:00:00Z'), 'validation_failed');
  assert.match(problem.errors?.[0]?.message ?? '', /must be a time to come/);
});

test('an id of a query is a UUID, in either case', async () => {
  const policy = await create(founder, 'aclpolicy', { name: 'reader', statements: [allow('get*')] });
  const member = await memberWith(founder, []);
  await create(founder, 'useraclpolicy', { user_id: member.id, acl_policy_id: policy.id });
  const holders = (id: string) =>
    manage<{ readonly items: readonly { readonly user_id: string }[] }>(
      org,
      'GET',
      `/acl/holders?tenant_code=main&policy_id=${encodeURIComponent(id)}`,
    );
  for (const id of [policy.id, policy.id.toUpperCase()]) {
    const reply = await holders(id);
    assert.deepEqual(
      reply.body.items.map(({ user_id }) => user_id),
      [member.id],
      reply.text,
    );
  }
  for (const id of ['x', '', ` ${policy.id}`, policy.id.replaceAll('-', '')])
    assert.deepEqual(pointers(assertProblem(await holders(id), 'invalid_request')), ['/policy_id']);
});

test('the alert webhook takes an address in one spelling alone', async () => {
  const set = (url: string) => manage(org, 'PUT', '/org/alerts/webhook', { body: { url } });
  for (const url of [
    ...['http:127.0.0.1/x', 'https:/example.com', 'https://example.com/a b', ' https://example.com', 'example.com'],
    ...['https://example.com/\t', 'https://exa\nmple.com/', 'https:\\\\example.com\\x', 'https://example.com\\@a.com'],
  ])
    assert.deepEqual(pointers(assertProblem(await set(url), 'validation_failed')), ['/url'], JSON.stringify(url));
  assertProblem(await manage(org, 'GET', '/org/alerts/webhook'), 'not_found');
  assert.equal((await set('https://example.com/a%20b?c=d')).status, 200);
});
