import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventKind } from './event.ts';
import type { EventContent } from './event-content.ts';

function tell(url: string, more: Partial<EventContent> = {}): EventContent {
  const on = { entity_name: 'order', event_name: 'tell', event_stage: 'after', event_optype: 'create' } as const;
  return { ...on, enabled: true, event_type: 'webhook', destination_config: { url }, ...more } as EventContent;
}

const widened = (before: EventContent | undefined, after: EventContent | undefined) =>
  eventKind.widening({ name: 'tell', before, after }).length;

test('a publication says where records come to from now on, also where it cannot show the whole address', () => {
  const long = `https://shop.example/${'a'.repeat(100)}`;
  const url = 'https://shop.example/hook';
  assert.equal(widened(undefined, tell(url)), 1);
  assert.equal(widened(tell(`${long}b`), tell(`${long}c`)), 1);
  assert.equal(widened(tell(url, { enabled: false }), tell(url)), 1);
  assert.equal(widened(tell(url, { when: 'record.a' }), tell(url)), 1);
  assert.equal(widened(tell(url, { when: 'record.a' }), tell(url, { when: 'record.b' })), 1);
  assert.equal(widened(tell(url), tell(url, { entity_name: 'invoice' })), 1);
  assert.equal(widened(tell(url, { event_optype: 'delete' }), tell(url)), 1);
});

test('a publication is silent where fewer records come to the same place', () => {
  const url = 'https://shop.example/hook';
  assert.equal(widened(tell(url), tell(url)), 0);
  assert.equal(widened(tell(url), tell(url, { when: 'record.a' })), 0);
  assert.equal(widened(tell(url), tell(url, { enabled: false })), 0);
  assert.equal(widened(tell(url), undefined), 0);
  assert.equal(widened(undefined, tell(url, { enabled: false })), 0);
});
