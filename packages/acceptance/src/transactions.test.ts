/** Transactions of logic blocks: each reads and writes as if it were alone, and its steps see what those before wrote. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import {
  type AppUser,
  act,
  allow,
  count,
  create,
  defineEntity,
  definition,
  foundedOrg,
  list,
  manage,
  memberWith,
  random,
  withFields,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, definition('counter', [{ name: 'n', colType: 'integer' }]));
await defineEntity(org, definition('guest', [{ name: 'name' }]));
await defineEntity(org, {
  ...definition('visit', [
    { name: 'room', index: true },
    { name: 'slot', colType: 'integer', index: true },
    { name: 'code' },
    { name: 'guest', colType: 'guid', lookup: { entity: 'guest', onDelete: 'restrict' } },
  ]),
  UniqueIndexes: [{ indexName: 'by_code', fields: ['code'] }],
});

async function transaction(name: string, steps: readonly object[], more: object = {}): Promise<void> {
  const content = { name, transaction: true, steps, ...more };
  const reply = await manage(org, 'POST', '/config/logicblock', { body: { name, content } });
  assert.equal(reply.status, 201, reply.text);
}

function run<T = unknown>(name: string, input: object, headers: Record<string, string> = {}, user: AppUser = founder) {
  return act<T>(user, 'POST', `/logicblocks/${name}`, { body: input, headers });
}

async function n(id: string): Promise<unknown> {
  return (await act(founder, 'GET', `/item/counter/${id}`)).body.n;
}

/** Work by so many callers, each of whom does one piece after the other. */
async function shared(pieces: number, callers: number, piece: (index: number) => Promise<void>): Promise<void> {
  const left = Array.from({ length: pieces }, (_, index) => index);
  const caller = async () => {
    for (let index = left.pop(); index !== undefined; index = left.pop()) await piece(index);
  };
  await Promise.all(Array.from({ length: callers }, caller));
}

const inRoom = { entity: 'visit', filters: [{ field: 'room', op: 'eq', value: '{{ input.room }}' }] };
const increment = [
  { id: 'read', type: 'get', entity: 'counter', record: '{{ input.id }}' },
  {
    ...{ id: 'write', type: 'update', entity: 'counter', record: '{{ input.id }}' },
    values: { n: '{{ steps.read.n + 1.0 }}' },
  },
];
await transaction('increment', increment, { returns: '{{ steps.write.n }}' });

test('no increment is lost of 30 calls that come ten at a time', async () => {
  const { id } = await create(founder, 'counter', { n: 0 });
  const returned: unknown[] = [];
  await shared(30, 10, async () => {
    const { status, body, text } = await run('increment', { id });
    assert.equal(status, 200, text);
    returned.push(body);
  });
  assert.equal(await n(id), 30);
  assert.deepEqual(
    returned.toSorted((one, other) => Number(one) - Number(other)),
    Array.from({ length: 30 }, (_, index) => index + 1),
  );
});

test('of 16 calls that book one room for one time one does', async () => {
  await transaction('book', [
    { id: 'found', type: 'list', ...inRoom },
    { id: 'is_taken', type: 'condition', if: 'steps.found.count > 0', else: 'visit' },
    { id: 'taken', type: 'raise', status: 409, code: 'taken', message: 'the room is taken' },
    { id: 'visit', type: 'create', entity: 'visit', values: { room: '{{ input.room }}', slot: 1 } },
  ]);
  for (let round = 0; round < 5; round++) {
    const room = random();
    const replies = await Promise.all(Array.from({ length: 16 }, () => run('book', { room })));
    const statuses = replies.map(({ status }) => status).toSorted();
    assert.deepEqual(statuses, [200, ...Array.from({ length: 15 }, () => 409)]);
    const errors = replies.flatMap(
      ({ body }) => (body as { errors?: readonly { code: string }[] } | null)?.errors ?? [],
    );
    assert.deepEqual([...new Set(errors.map(({ code }) => code))], ['taken']);
    assert.equal((await list(founder, 'visit', `?room=${room}`)).items.length, 1);
  }
});

test('transactions that only read see one moment, while others move amounts', async () => {
  const [one, two] = [await create(founder, 'counter', { n: 100 }), await create(founder, 'counter', { n: 100 })];
  const both = (input: string) => ({ id: input, type: 'get', entity: 'counter', record: `{{ input.${input} }}` });
  await transaction('sum', [both('one'), both('two')], { returns: '{{ steps.one.n + steps.two.n }}' });
  const set = (record: string, sign: string) => ({
    ...{ id: `set_${record}`, type: 'update', entity: 'counter', record: `{{ input.${record} }}` },
    values: { n: `{{ steps.${record}.n ${sign} 7.0 }}` },
  });
  await transaction('transfer', [both('one'), both('two'), set('one', '-'), set('two', '+')]);
  const accounts = [
    { one: one.id, two: two.id },
    { one: two.id, two: one.id },
  ] as const;
  await shared(60, 8, async (index) => {
    const reply = await run(index % 3 === 0 ? 'transfer' : 'sum', accounts[index % 2] ?? {});
    assert.equal(reply.status, 200, reply.text);
    if (index % 3 !== 0) assert.equal(reply.body, 200);
  });
  assert.equal(Number(await n(one.id)) + Number(await n(two.id)), 200);
});

test('later steps see the records that earlier ones made, changed and removed, and they refer to each other', async () => {
  const appointment = (id: string, slot: number) => ({
    ...{ id, type: 'create', entity: 'visit' },
    values: { room: '{{ input.room }}', slot, guest: '{{ steps.guest.id }}' },
  });
  await transaction(
    'weekend',
    [
      { id: 'guest', type: 'create', entity: 'guest', values: { name: '{{ input.room }}' } },
      {
        id: 'branches',
        type: 'parallel',
        branches: [[appointment('first', 3), appointment('second', 1)], [{ id: 'seen', type: 'list', ...inRoom }]],
      },
      { id: 'moved', type: 'update', entity: 'visit', record: '{{ steps.first.id }}', values: { slot: 2 } },
      { id: 'one', type: 'get', entity: 'visit', record: '{{ steps.moved.id }}' },
      { id: 'sorted', type: 'list', ...inRoom, sortby: 'slot' },
      { id: 'gone', type: 'delete', entity: 'visit', record: '{{ steps.second.id }}' },
      { id: 'left', type: 'list', ...inRoom },
    ],
    {
      returns: {
        guest: '{{ steps.guest.name }}',
        made: '{{ steps.first.slot }}',
        seen: '{{ steps.seen.count }}',
        one: '{{ steps.one }}',
        sorted: '{{ steps.sorted.items }}',
        left: '{{ steps.left.items }}',
      },
    },
  );
  const room = random();
  const { status, body, text } = await run<{
    readonly one: { readonly slot: number; readonly version: number };
    readonly sorted: readonly { readonly slot: number }[];
    readonly left: readonly { readonly slot: number }[];
  }>('weekend', { room });
  assert.equal(status, 200, text);
  const { one, sorted, left, ...others } = body;
  assert.deepEqual(others, { guest: room, made: 3, seen: 2 });
  assert.deepEqual([one.slot, one.version], [2, 0]);
  assert.deepEqual(
    [sorted, left].map((items) => items.map(({ slot }) => slot)),
    [[1, 2], [2]],
  );
  const { items } = await list(founder, 'visit', `?room=${room}`);
  const [guest] = (await list(founder, 'guest')).items;
  assert.deepEqual(
    items.map((item) => [item.slot, item.guest]),
    [[2, guest?.id]],
  );
  assert.equal(items[0]?.version, guest?.version);
});

test('lists with `fields`, and times in time zones, are parts of a transaction', async () => {
  const source = 'return new Date(input.at).toLocaleString("de-DE", { timeZone: "Asia/Tokyo", hour: "numeric" });';
  const hour = '{{ timestamp(input.at).getHours("Asia/Tokyo") }}';
  const values = { room: '{{ input.room }}', slot: hour, code: '{{ input.room }} {{ steps.seen.count }}' };
  const listing = { id: 'seen', type: 'list', ...inRoom, sortby: 'slot', fields: ['slot'], all: true };
  await transaction(
    'by-hour',
    [
      listing,
      { id: 'made', type: 'create', entity: 'visit', values },
      { ...listing, id: 'left' },
      { id: 'text', type: 'script', source },
    ],
    { returns: ['{{ steps.left.items }}', '{{ steps.text }}'] },
  );
  const room = random();
  const at = '2026-07-01T01:30:00Z';
  const replies = await Promise.all(
    [1, 2, 3].map(() => run<readonly [readonly object[], string]>('by-hour', { room, at })),
  );
  for (const { status, text, body } of replies) {
    assert.equal(status, 200, text);
    assert.match(body[1], /^10 Uhr$/);
    assert.deepEqual(
      body[0],
      body[0].map(() => ({ slot: 10 })),
    );
  }
  assert.deepEqual(replies.map(({ body }) => body[0].length).toSorted(), [1, 2, 3]);
  const codes = (await list(founder, 'visit', `?room=${room}`)).items.map(({ code }) => code);
  assert.deepEqual(codes.toSorted(), [`${room} 0`, `${room} 1`, `${room} 2`]);
});

test('a unique value that an earlier step took is taken, and nothing is written', async () => {
  const taking = (id: string) => ({ id, type: 'create', entity: 'visit', values: { code: '{{ input.code }}' } });
  await transaction('twice', [taking('one'), taking('two')]);
  const handing = { id: 'free', type: 'update', entity: 'visit', record: '{{ steps.one.id }}', values: { code: null } };
  await transaction('handed', [taking('one'), handing, taking('two')], { returns: '{{ steps.two.id }}' });
  const code = random();
  const before = await count(founder, 'visit');
  const problem = assertProblem(await run('twice', { code }), 'unique_violation');
  assert.equal(problem.step, 'two');
  assert.equal(await count(founder, 'visit'), before);
  const { body } = await run<string>('handed', { code });
  assert.equal((await act(founder, 'GET', `/item/visit/${body}`)).body.code, code);
  assert.equal(await count(founder, 'visit'), before + 2);
});

test('a call under one key counts once, however often others overtake it', async () => {
  const { id } = await create(founder, 'counter', { n: 0 });
  const keys = [random(), random(), random()];
  const replies = await Promise.all(
    Array.from({ length: 24 }, (_, index) => run('increment', { id }, { 'Idempotency-Key': keys[index % 3] ?? '' })),
  );
  assert.ok(replies.every(({ status }) => status === 200 || status === 409));
  for (const key of keys) assert.equal((await run('increment', { id }, { 'Idempotency-Key': key })).status, 200);
  assert.equal(await n(id), 3);
});

test('steps of a transaction are decided by the rights of its caller, or by its own policies', async () => {
  const { id } = await create(founder, 'counter', { n: 5 });
  const steps = [increment[0], { id: 'log', type: 'create', entity: 'guest', values: { name: '{{ input.id }}' } }];
  await transaction(
    'logged',
    [...steps, increment[1]].flatMap((step) => step ?? []),
  );
  const policies = [allow(['getcounter', 'updatecounter']), allow('createguest')];
  await transaction(
    'logged-as-app',
    [...steps, increment[1]].flatMap((step) => step ?? []),
    { run_as: 'app', policies },
  );
  const rights = [allow(['runlogged', 'runlogged-as-app']), withFields(allow('getcounter'), 'n'), allow('createguest')];
  const member = await memberWith(founder, rights);
  const problem = assertProblem(await run('logged', { id }, {}, member), 'access_denied');
  assert.equal(problem.step, 'write');
  assert.deepEqual([await n(id), (await list(founder, 'guest')).items.some(({ name }) => name === id)], [5, false]);
  const reply = await run('logged-as-app', { id }, {}, member);
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual([await n(id), (await list(founder, 'guest')).items.some(({ name }) => name === id)], [6, true]);
});

test('blocks that a transaction calls, and the passes of its loops, are parts of it', async () => {
  const called = { id: 'called', type: 'call', logicblock: 'increment', input: { id: '{{ input.id }}' } };
  const loop = { id: 'each', type: 'loop', over: '{{ input.times }}', max: 9, steps: [called] };
  const stop = { id: 'stop', type: 'condition', if: 'input.fails', else: 'end' };
  const raise = { id: 'raise', type: 'raise', status: 422, code: 'stopped', message: 'stopped' };
  const end = { id: 'end', type: 'get', entity: 'counter', record: '{{ input.id }}' };
  await transaction('often', [loop, stop, raise, end], { returns: '{{ steps.end.n }}' });
  const { id } = await create(founder, 'counter', { n: 0 });
  assertProblem(await run('often', { id, times: [1, 2, 3], fails: true }), 'block_refused');
  assert.equal(await n(id), 0);
  const replies = await Promise.all([1, 2, 3, 4].map(() => run('often', { id, times: [1, 2, 3], fails: false })));
  assert.deepEqual(replies.map(({ body }) => body).toSorted(), [12, 3, 6, 9]);
});
