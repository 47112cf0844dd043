/** Whether the orders of a platform are what its answers said, and what had no answer is whole or absent. */
import assert from 'node:assert/strict';
import { type AppUser, act, count, create, list, random, type StoredRecord } from '../org.ts';
import { sendBatch, sendOrder, titles } from './actors.ts';
import type { Entry, LedgerCommand, OrderBody } from './ledger.ts';

export type Orders = ReadonlyMap<string, StoredRecord>;

/** Throws at the first thing that is not as it should be; answers what stands now, with what was repeated. */
export async function checkOrders(founder: AppUser, before: Orders, entries: readonly Entry[]): Promise<Orders> {
  const found = await everyOrder(founder);
  const expected = new Map(before);
  const gone = new Set<string>();
  for (const { command, answer } of entries) {
    for (const record of answer?.records ?? []) expected.set(record.id, record);
    if (command.kind !== 'delete' || answer === undefined) continue;
    expected.delete(command.id);
    gone.add(command.id);
  }
  const open = entries.filter(({ answer }) => answer === undefined).map(({ command }) => command);
  for (const request of open) settle(request, expected, found);
  assert.deepEqual(byId(found), byId(expected), 'the orders are not those that were answered');
  await checkReads(founder, found, gone);
  for (const request of open) await repeat(founder, request, found);
  return everyOrder(founder);
}

/** Takes into `expected` what a request without an answer did, if it did it whole. */
export function settle(command: LedgerCommand, expected: Map<string, StoredRecord>, found: Orders): void {
  if (command.kind === 'create' || command.kind === 'batch') {
    const bodies = command.kind === 'create' ? [command.body] : command.bodies;
    const made = bodies.flatMap((body) => withBody(found, body));
    assert.ok(made.length === 0 || made.length === bodies.length, `${made.length} of ${bodies.length} orders stand`);
    for (const record of made) expected.set(record.id, record);
  } else if (command.kind === 'update') {
    const [known, now] = [expected.get(command.id), found.get(command.id)];
    if (known === undefined || now?.title !== command.title) return;
    const { title, version, updated_at } = now;
    assert.ok(version > known.version);
    expected.set(command.id, { ...known, title, version, updated_at });
  } else if (command.kind === 'delete' && !found.has(command.id)) {
    expected.delete(command.id);
  }
}

/** Sent again with its key, a request counts once. */
export async function repeat(founder: AppUser, command: LedgerCommand, found: Orders): Promise<void> {
  if (command.kind !== 'create' && command.kind !== 'batch') return;
  const bodies = command.kind === 'create' ? [command.body] : command.bodies;
  const again =
    command.kind === 'create'
      ? await sendOrder(founder, command.key, command.body)
      : await sendBatch(founder, command.key, bodies);
  const previous = bodies.flatMap((body) => withBody(found, body));
  if (previous.length > 0) assert.deepEqual(again.records, previous, 'a repeated request has another answer');
  for (const { code } of bodies) assert.equal((await list(founder, 'order', `?code=${code}`)).items.length, 1);
}

function withBody(orders: Orders, { title, code }: OrderBody): readonly StoredRecord[] {
  const made = [...orders.values()].filter((record) => record.code === code);
  assert.ok(made.length <= 1, `code ${code} is there ${made.length} times`);
  for (const record of made) assert.equal(record.title, title);
  return made;
}

/** Every other way to read an order agrees with the list. */
async function checkReads(founder: AppUser, found: Orders, gone: ReadonlySet<string>): Promise<void> {
  assert.equal(await count(founder, 'order'), found.size, 'the count is not the number of orders');
  for (const title of titles) {
    const titled = [...found.values()].filter((record) => record.title === title);
    assert.equal(await count(founder, 'order', `?title=${title}`), titled.length, `the index of ${title} is wrong`);
  }
  const numbers = [...found.values()].map(({ nr }) => nr);
  assert.equal(new Set(numbers).size, numbers.length, 'a number was given twice');
  for (const record of found.values())
    assert.deepEqual((await act(founder, 'GET', `/item/order/${record.id}`)).body, record);
  for (const id of gone) assert.equal((await act(founder, 'GET', `/item/order/${id}`)).status, 404);
  const [first] = found.values();
  if (first === undefined) return;
  const taken = await act(founder, 'POST', '/create/order', { body: { title: 'x', code: first.code } });
  assert.equal(taken.status, 409, 'a unique value is free although an order has it');
  const other = await create(founder, 'order', { title: 'x', code: random() });
  assert.ok(!numbers.includes(other.nr), 'a number is given a second time');
  assert.equal((await act(founder, 'DELETE', `/delete/order/${other.id}`)).status, 204);
}

export async function everyOrder(founder: AppUser): Promise<Map<string, StoredRecord>> {
  const found = new Map<string, StoredRecord>();
  let cursor = '';
  for (;;) {
    const page = await list(founder, 'order', `?pagesize=200${cursor}`);
    for (const record of page.items) found.set(record.id, record);
    if (page.nexttoken === null) return found;
    cursor = `&nexttoken=${encodeURIComponent(page.nexttoken)}`;
  }
}

export function byId(orders: Orders): readonly StoredRecord[] {
  return [...orders.values()].sort((left, right) => (left.id < right.id ? -1 : 1));
}
