/** The bounds of a configuration as a whole. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ItemBody } from '../item-storage.ts';
import { refuseTooMuch } from './change-items.ts';
import { refuseTooManyEvents } from './event-bound.ts';
import type { ItemTarget } from './plan-items.ts';

const content = { name: 'a', description: 'x'.repeat(250_000) };

function blocks(count: number): readonly ItemBody[] {
  return Array.from({ length: count }, (_, index) => ({ kind: 'logicblock', name: `b${index}`, version: 1, content }));
}

const changed: ItemTarget = { kind: 'crew', name: 'c', wanted: { content, versions: 2 } };
const entities = blocks(100).map((body): ItemBody => ({ ...body, kind: 'entity' }));

test('logic blocks, events and crews have a bound together, which does not affect changes that add nothing', async () => {
  await refuseTooMuch([changed], [...blocks(67), ...entities]);
  await assert.rejects(refuseTooMuch([changed], blocks(68)), /at most 16777216 characters together/);
  await refuseTooMuch([{ ...changed, wanted: undefined }], blocks(68));
  await refuseTooMuch([{ ...changed, kind: 'entity' }], blocks(68));
});

test('an entity has at most 20 events, and what has more already stays and is changed', () => {
  const events = (count: number, entity_name = 'order'): readonly ItemBody[] =>
    Array.from({ length: count }, (_, index) => ({
      ...{
        kind: 'event',
        name: `${entity_name}${index}`,
        version: 1,
        content: { entity_name, event_optype: 'create' },
      },
    }));
  refuseTooManyEvents([], [...events(20), ...events(20, 'invoice')]);
  assert.throws(() => refuseTooManyEvents(events(20), events(21)), /entity `order` may have at most 20 events/);
  refuseTooManyEvents(events(25), [...events(25), ...events(1, 'invoice')]);
  refuseTooManyEvents(events(25), events(24));
  assert.throws(() => refuseTooManyEvents(events(25), events(26)), /at most 20 events/);
});
