import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comesAlong, keyOf, mayBePublished } from './items.ts';
import type { Difference } from './queries.ts';

function difference(name: string, needs: readonly string[] = [], others: Partial<Difference> = {}): Difference {
  const depends_on = needs.map((needed) => ({
    kind: 'entity' as const,
    name: needed,
    pointer: '',
    reason: `looks it up in the field \`${needed}_id\``,
    in_production: needed === 'live',
  }));
  const empty = { changes: [], summary: [], losses: [] };
  return { kind: 'entity', name, change: 'added', staged: false, depends_on, ...empty, ...others };
}

const byKey = (...all: readonly Difference[]) => new Map(all.map((one) => [keyOf(one), one]));

test('what chosen items refer to and production lacks comes along, through several steps, with the reason', () => {
  const differences = byKey(
    difference('comment', ['ticket', 'live']),
    difference('ticket', ['customer', 'comment', 'waiting', 'user']),
    difference('customer'),
    difference('live'),
    difference('waiting', [], { staged: true }),
    difference('other'),
  );
  assert.deepEqual(
    [...comesAlong(differences, new Set(['entity comment']))],
    [
      ['entity ticket', 'entity `comment` looks it up in the field `ticket_id`'],
      ['entity customer', 'entity `ticket` looks it up in the field `customer_id`'],
    ],
  );
  assert.deepEqual([...comesAlong(differences, new Set(['entity gone', 'entity other']))], []);
});

test('a staged item is published again only where test has gone on', () => {
  assert.equal(mayBePublished(difference('a')), true);
  assert.equal(mayBePublished(difference('a', [], { staged: true, edited_since_staged: false })), false);
  assert.equal(mayBePublished(difference('a', [], { staged: true, edited_since_staged: true })), true);
});
