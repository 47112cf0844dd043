import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionOf, conditionOf, durationOf, occasionOf, waitingText } from './words.ts';

test('an event is a sentence: what it waits for, and what it does', () => {
  const waits = { entity_name: 'order', event_optype: 'update', event_stage: 'before' } as const;
  assert.equal(occasionOf(waits), 'Before a record of order is updated');
  assert.equal(
    actionOf({ event_type: 'webhook', destination: { url: 'https://a.example' } }),
    'posts to https://a.example',
  );
  const record = { entity: 'note', action: 'create' };
  assert.equal(actionOf({ event_type: 'record', destination: record }), 'creates a record of note');
});

test('a condition is its expression, and how many conditions on fields stand beside it', () => {
  assert.equal(conditionOf({ entry_conditions: 0 }), undefined);
  assert.equal(conditionOf({ entry_conditions: 1 }), '1 condition on a field');
  assert.equal(conditionOf({ when: 'record.a', entry_conditions: 0 }), 'record.a');
  assert.equal(conditionOf({ when: 'record.a', entry_conditions: 2 }), 'record.a, and 2 conditions on fields');
});

test('durations and counts are as short as they can be read', () => {
  assert.deepEqual([durationOf(12), durationOf(15_000)], ['12 ms', '15.0 s']);
  assert.deepEqual([waitingText(3), waitingText(1000)], ['3', '1,000 or more']);
});
