import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredRecord } from '../org.ts';
import { ArrivalCheck, type Write, writesIn } from './check-arrivals.ts';
import type { Arrival } from './flaky-receiver.ts';
import type { Entry } from './ledger.ts';

const writes: readonly Write[] = [
  { op: 'create', record: 'a', version: 1 },
  { op: 'update', record: 'a', version: 2 },
  { op: 'update', record: 'a', version: 5 },
  { op: 'delete', record: 'a', version: 5 },
];

function arrival(op: string, version: number, members: Partial<Arrival> = {}): Arrival {
  const type = `order.${op}`;
  const own = { id: `${op}-${version}`, event: `/${type}`, body: `${op} ${version}`, isTaken: true };
  return { ...own, type, record: 'a', version, ...members };
}

function checked(...arrivals: readonly Arrival[]): ArrivalCheck {
  const check = new ArrivalCheck();
  check.expect(writes);
  check.take(arrivals);
  return check;
}

test('arrivals in the order of each event are accepted, with repetitions', () => {
  const check = checked(
    arrival('update', 2, { isTaken: false }),
    arrival('update', 2),
    arrival('delete', 5),
    arrival('update', 5),
    arrival('update', 2),
    arrival('create', 1),
  );
  check.end();
  assert.deepEqual([check.missing, check.repeated], [0, 1]);
});

const faults: Readonly<Record<string, readonly Arrival[]>> = {
  'an event without its write': [arrival('update', 3)],
  'an event of a record that was not written': [arrival('create', 1, { record: 'b' })],
  'a later write first': [arrival('update', 5)],
  'a later write behind one that was not taken': [arrival('update', 2, { isTaken: false }), arrival('update', 5)],
  'two ids for one write': [arrival('create', 1), arrival('create', 1, { id: 'other' })],
  'two contents under one id': [arrival('create', 1), arrival('create', 1, { body: 'other' })],
  'one id for two writes': [arrival('update', 2), arrival('update', 5, { id: 'update-2' })],
  'a write at another event': [arrival('create', 1, { event: '/order.update' })],
};

for (const [name, arrivals] of Object.entries(faults))
  test(`${name} is found`, () => {
    assert.throws(() => checked(...arrivals), assert.AssertionError);
  });

test('a write that no call was taken for is found at the end', () => {
  const check = checked(arrival('create', 1), arrival('update', 2), arrival('update', 5, { isTaken: false }));
  assert.throws(() => check.end(), /2 writes without their event/);
});

const order = (id: string, version: number, members: object = {}): StoredRecord => ({
  ...{ id, version, created_at: '', updated_at: '', created_by: '', updated_by: '' },
  ...members,
});

const byId = (...records: readonly StoredRecord[]) => new Map(records.map((record) => [record.id, record]));

test('of what had no answer, those writes took place that the orders show', () => {
  const body = { title: 'red', code: 'c1', secret: 's' };
  const entries: readonly Entry[] = [
    { command: { kind: 'create', key: 'k', body: { ...body, code: 'c0' } }, answer: { records: [order('a', 1)] } },
    { command: { kind: 'delete', id: 'x' }, answer: {} },
    { command: { kind: 'create', key: 'k', body } },
    { command: { kind: 'batch', key: 'k', bodies: [{ ...body, code: 'c2' }] } },
    { command: { kind: 'update', id: 'a', title: 'new' } },
    { command: { kind: 'update', id: 'y', title: 'unseen' } },
    { command: { kind: 'delete', id: 'z' } },
  ];
  const before = byId(order('x', 7), order('y', 8), order('z', 9));
  const found = byId(order('a', 12, { title: 'new' }), order('b', 11, { code: 'c1' }), order('y', 8, { title: 'old' }));
  assert.deepEqual(writesIn(before, entries, found), [
    { op: 'create', record: 'a', version: 1 },
    { op: 'delete', record: 'x', version: 7 },
    { op: 'create', record: 'b', version: 11 },
    { op: 'update', record: 'a', version: 12 },
    { op: 'delete', record: 'z', version: 9 },
  ]);
});
