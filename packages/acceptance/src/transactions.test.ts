/** Transactions of logic blocks that run beside each other: each reads and writes as if it were alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { act, create, defineEntity, definition, foundedOrg, list, manage, random } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, definition('counter', [{ name: 'n', colType: 'integer' }]));
await defineEntity(
  org,
  definition('visit', [
    { name: 'room', index: true },
    { name: 'from', colType: 'integer' },
    { name: 'to', colType: 'integer' },
  ]),
);

async function transaction(name: string, steps: readonly object[], more: object = {}): Promise<void> {
  const content = { name, transaction: true, steps, ...more };
  const reply = await manage(org, 'POST', '/config/logicblock', { body: { name, content } });
  assert.equal(reply.status, 201, reply.text);
}

function run<T = unknown>(name: string, input: object) {
  return act<T>(founder, 'POST', `/logicblocks/${name}`, { body: input });
}

test('no increment is lost of 30 calls that come ten at a time', async () => {
  await transaction('increment', [
    { id: 'read', type: 'get', entity: 'counter', record: '{{ input.id }}' },
    {
      id: 'write',
      type: 'update',
      entity: 'counter',
      record: '{{ input.id }}',
      values: { n: '{{ steps.read.n + 1.0 }}' },
    },
  ]);
  const { id } = await create(founder, 'counter', { n: 0 });
  const calls = Array.from({ length: 30 }, (_, call) => call);
  const callers = Array.from({ length: 10 }, async () => {
    for (; calls.pop() !== undefined; ) {
      const { status, text } = await run('increment', { id });
      assert.equal(status, 200, text);
    }
  });
  await Promise.all(callers);
  assert.equal((await act(founder, 'GET', `/item/counter/${id}`)).body.n, 30);
});

test('of 16 calls that book one room for overlapping times one does', async () => {
  await transaction('book', [
    {
      ...{ id: 'found', type: 'list', entity: 'visit' },
      filters: [{ field: 'room', op: 'eq', value: '{{ input.room }}' }],
    },
    { id: 'is_taken', type: 'condition', if: 'steps.found.count > 0', else: 'visit' },
    { id: 'taken', type: 'raise', status: 409, code: 'taken', message: 'the room is taken' },
    { id: 'visit', type: 'create', entity: 'visit', values: { room: '{{ input.room }}', from: 1, to: 2 } },
  ]);
  for (let round = 0; round < 5; round++) {
    const room = random();
    const replies = await Promise.all(Array.from({ length: 16 }, () => run('book', { room })));
    const statuses = replies.map(({ status }) => status).toSorted();
    assert.deepEqual(statuses, [200, ...Array.from({ length: 15 }, () => 409)]);
    assert.equal((await list(founder, 'visit', `?room=${room}`)).items.length, 1);
  }
});
