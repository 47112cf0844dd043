import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EventContent, eventKind } from './event.ts';

function eventContent(url: string, more: Partial<EventContent> = {}): EventContent {
  const on = { entity_name: 'order', event_name: 'tell', event_stage: 'after', event_optype: 'create' } as const;
  return { ...on, enabled: true, event_type: 'webhook', destination_config: { url }, ...more } as EventContent;
}

const widened = (before: EventContent | undefined, after: EventContent | undefined) =>
  eventKind.widening({ name: 'tell', before, after }).length;

test('a publication says where records come to from now on, also where it cannot show the whole address', () => {
  const long = `https://shop.example/${'a'.repeat(100)}`;
  const url = 'https://shop.example/hook';
  assert.equal(widened(undefined, eventContent(url)), 1);
  assert.equal(widened(eventContent(`${long}b`), eventContent(`${long}c`)), 1);
  assert.equal(widened(eventContent(url, { enabled: false }), eventContent(url)), 1);
  assert.equal(widened(eventContent(url, { when: 'record.a' }), eventContent(url)), 1);
  assert.equal(widened(eventContent(url, { when: 'record.a' }), eventContent(url, { when: 'record.b' })), 1);
  assert.equal(widened(eventContent(url), eventContent(url, { entity_name: 'invoice' })), 1);
  assert.equal(widened(eventContent(url, { event_optype: 'delete' }), eventContent(url)), 1);
});

const local = 'http://localhost:3000/hook';
const live = {
  destination_config: { url: local },
  prod_destination_config: { url: 'https://shop.example/hook' },
} as const;

test('what goes to production is what production has, whatever the destination of test is', () => {
  const own = eventContent(local, live as Partial<EventContent>);
  assert.equal(widened(own, { ...own, destination_config: { url: 'http://localhost:4000/' } } as EventContent), 0);
  assert.equal(widened(own, eventContent(local)), 1);
  assert.equal(widened(eventContent(local), own), 1);
  const describe = (before: EventContent | undefined, after: EventContent) =>
    eventKind.describe({ name: 'tell', before, after });
  assert.deepEqual(describe(undefined, own), [
    `event \`tell\` is new: after a create of \`order\` it is to call \`"${local}"\`, and in production to call \`"https://shop.example/hook"\``,
  ]);
  assert.deepEqual(describe(own, eventContent(local)), [
    `in production it is to call \`"${local}"\` now, and was to call \`"https://shop.example/hook"\``,
  ]);
});

test('references, templates and blocks of both destinations are looked at, each at its place', () => {
  const to = (entity: string) => ({ entity, action: 'create', values: { a: '{{ record.none }}' } });
  const both = eventContent(local, {
    event_type: 'record',
    destination_config: to('one'),
    prod_destination_config: to('two'),
  } as Partial<EventContent>);
  assert.deepEqual(
    eventKind.references(both, 'tell').map(({ name, pointer }) => [name, pointer]),
    [
      ['order', '/entity_name'],
      ['one', '/destination_config/entity'],
      ['two', '/prod_destination_config/entity'],
    ],
  );
  const order = { definition: { UpdateParams: [{ name: 'title' }] } };
  const errors = eventKind.check?.(both, { contentOf: ({ kind }) => (kind === 'entity' ? order : undefined) }) ?? [];
  assert.deepEqual(
    errors.map(({ pointer }) => pointer),
    ['/destination_config/values/a', '/prod_destination_config/values/a'],
  );
});

test('a webhook that production never calls is not fit for it, unless it is switched off or has an address of its own', () => {
  const whyNot = (url: string) => (url.includes('localhost') ? 'the scheme is not allowed' : undefined);
  const unfit = (content: EventContent) => (eventKind.unfit?.(content, whyNot) ?? []).map(({ pointer }) => pointer);
  assert.deepEqual(unfit(eventContent(local)), ['/destination_config/url']);
  assert.deepEqual(unfit(eventContent(local, live as Partial<EventContent>)), []);
  assert.deepEqual(
    unfit(eventContent('https://shop.example', { prod_destination_config: { url: local } } as Partial<EventContent>)),
    ['/prod_destination_config/url'],
  );
  assert.deepEqual(unfit(eventContent(local, { enabled: false })), []);
  const [error] = eventKind.unfit?.(eventContent(local), whyNot) ?? [];
  assert.equal(
    error?.message,
    'event `tell` posts to `"http://localhost:3000/hook"`, which production never calls: the scheme is not allowed. Give it a public https address in `prod_destination_config`',
  );
});

test('a publication is silent where fewer records come to the same place', () => {
  const url = 'https://shop.example/hook';
  assert.equal(widened(eventContent(url), eventContent(url)), 0);
  assert.equal(widened(eventContent(url), eventContent(url, { when: 'record.a' })), 0);
  assert.equal(widened(eventContent(url), eventContent(url, { enabled: false })), 0);
  assert.equal(widened(eventContent(url), undefined), 0);
  assert.equal(widened(undefined, eventContent(url, { enabled: false })), 0);
});

test('an entity has at most 20 events, and what has more already stays and is changed', () => {
  const events = (count: number, entity_name = 'order'): readonly EventContent[] =>
    Array.from({ length: count }, () => eventContent(local, { entity_name }));
  const refuse = (before: readonly EventContent[], after: readonly EventContent[]): void =>
    eventKind.refuseTooMany?.({ env: 'prod', before, after, wanted: [] });
  refuse([], [...events(20), ...events(20, 'invoice')]);
  assert.throws(() => refuse(events(20), events(21)), /entity `order` may have at most 20 events/);
  refuse(events(25), [...events(25), ...events(1, 'invoice')]);
  refuse(events(25), events(24));
  assert.throws(() => refuse(events(25), events(26)), /at most 20 events/);
});
