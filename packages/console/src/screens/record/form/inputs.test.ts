import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Field } from '../../entities/definition.ts';
import { chosenChanges, differencesOf } from '../conflict/differences.ts';
import { changesOf, inputOf, inputsOf, sendableOf } from './inputs.ts';

const fields = {
  text: { name: 'text' },
  amount: { name: 'amount', colType: 'number' },
  count: { name: 'count', colType: 'integer' },
  ok: { name: 'ok', colType: 'boolean' },
  day: { name: 'day', colType: 'date' },
  at: { name: 'at', colType: 'datetime' },
  kind: { name: 'kind', colType: 'enum', enumValues: ['a', 'b'] },
  any: { name: 'any', colType: 'json' },
  list: { name: 'list', colType: 'array' },
  numbers: { name: 'numbers', colType: 'array', items: { colType: 'number' } },
  nested: { name: 'nested', colType: 'array', items: { colType: 'json' } },
  other_id: { name: 'other_id', colType: 'guid', lookup: { entity: 'other' } },
  other_ids: { name: 'other_ids', colType: 'array', items: { colType: 'guid', lookup: { entity: 'other' } } },
  secret: { name: 'secret', colType: 'encrypted' },
} as const satisfies Readonly<Record<string, Field>>;

const all: readonly Field[] = Object.values(fields);
const seen = all.filter(({ name }) => name !== 'secret');

const aTime = fc
  .date({ min: new Date('1971-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((at) => at.toISOString());
const aRecord = fc.record(
  {
    text: fc.string({ minLength: 1 }),
    amount: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
    count: fc.maxSafeInteger(),
    ok: fc.boolean(),
    day: aTime.map((at) => at.slice(0, 10)),
    at: aTime,
    kind: fc.constantFrom('a', 'b'),
    any: fc.jsonValue().filter((value) => value !== null),
    list: fc.array(fc.string()),
    numbers: fc.array(fc.integer()),
    nested: fc.array(fc.jsonValue()),
    other_id: fc.uuid(),
    other_ids: fc.array(fc.uuid()),
  },
  { requiredKeys: [] },
);

test('what is shown of a record and not touched is not sent, and what is typed as it was shown is the stored value', () => {
  fc.assert(
    fc.property(aRecord, (record) => {
      const shown = inputsOf(all, record);
      assert.deepEqual(changesOf(all, shown, shown), { body: {}, mistakes: {} });
      for (const field of seen) {
        const stored = (record as Readonly<Record<string, unknown>>)[field.name];
        const sent = sendableOf(field, inputOf(field, stored));
        if (stored !== undefined) assert.equal(JSON.stringify(sent), JSON.stringify({ value: stored }), field.name);
      }
    }),
  );
});

test('only changed fields are sent; an emptied one is null, and a secret is sent where it was typed or cleared', () => {
  const record = { text: 'a', amount: 4, other_ids: ['x'] };
  const shown = inputsOf(all, record);
  const typed = { ...shown, text: '', amount: '5', ok: 'false', other_ids: [], secret: null };
  assert.deepEqual(changesOf(all, shown, typed).body, {
    text: null,
    amount: 5,
    ok: false,
    other_ids: [],
    secret: null,
  });
  assert.deepEqual(changesOf(all, shown, { ...shown, secret: 's' }).body, { secret: 's' });
});

test('what is no value is sent as it was typed, so that the platform says why; JSON that cannot be read is not sent', () => {
  for (const typed of ['many', '12345678901234567890', 'Infinity'])
    assert.deepEqual(sendableOf(fields.amount, typed), { value: typed });
  assert.deepEqual(sendableOf(fields.amount, ' 1.5 '), { value: 1.5 });
  assert.deepEqual(sendableOf(fields.at, 'soon'), { value: 'soon' });
  const { body, mistakes } = changesOf(all, inputsOf(all, {}), { ...inputsOf(all, {}), any: '{' });
  assert.deepEqual(body, {});
  assert.match(mistakes.any ?? '', /JSON/);
});

test('two people who change one record: what one of them changed is kept, what both changed is chosen', () => {
  const before = { text: 'a', amount: 1, kind: 'a', ok: true };
  const theirs = { text: 'b', amount: 1, kind: 'b', ok: false };
  const mine = { text: 'c', amount: 2, kind: 'b' };
  const differences = differencesOf(all, { before, mine, theirs });
  assert.deepEqual(
    differences.map(({ field, changedBy }) => [field.name, changedBy]),
    [
      ['text', 'both'],
      ['amount', 'me'],
      ['ok', 'them'],
    ],
  );
  assert.deepEqual(chosenChanges(differences, { text: 'mine' }), { text: 'c', amount: 2 });
  assert.deepEqual(chosenChanges(differences, { text: 'theirs' }), { amount: 2 });
});

test('a secret that is cleared stays a change, though neither has seen what is stored', () => {
  const differences = differencesOf(all, { before: { text: 'a' }, mine: { secret: null }, theirs: { text: 'b' } });
  assert.deepEqual(chosenChanges(differences, {}), { secret: null });
});

test('a merge changes nothing that the other did, but where mine was chosen', () => {
  fc.assert(
    fc.property(aRecord, aRecord, aRecord, fc.boolean(), (before, theirs, edited, isMine) => {
      const shown = inputsOf(seen, before);
      const mine = changesOf(seen, shown, inputsOf(seen, edited)).body;
      const differences = differencesOf(seen, { before, mine, theirs });
      const choices = Object.fromEntries(
        differences.map(({ field }) => [field.name, isMine ? 'mine' : 'theirs'] as const),
      );
      const merged: Readonly<Record<string, unknown>> = { ...theirs, ...chosenChanges(differences, choices) };
      for (const { name } of seen) {
        const [was, is] = [before, theirs].map((one) => JSON.stringify((one as Record<string, unknown>)[name] ?? null));
        const wanted = JSON.stringify(Object.hasOwn(mine, name) ? (mine[name] ?? null) : undefined);
        const expected = wanted !== undefined && (isMine || was === is) ? wanted : is;
        assert.equal(JSON.stringify(merged[name] ?? null), expected, name);
      }
    }),
  );
});
