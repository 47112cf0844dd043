import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layoutOf, type Modelled } from './model-layout.ts';

const entity = (name: string, ...targets: readonly string[]): Modelled => ({
  name,
  lookups: targets.map((target) => ({ field: `${target}_id`, entity: target })),
});

const desk = [entity('comment', 'ticket'), entity('note'), entity('ticket', 'customer', 'user'), entity('customer')];

test('an entity stands to the right of all that it looks up, and no two boxes meet', () => {
  const { boxes, lines, alone } = layoutOf(desk);
  const at = (name: string) => boxes.find((box) => box.name === name)?.x ?? Number.NaN;
  assert.ok(at('customer') < at('ticket') && at('user') < at('ticket') && at('ticket') < at('comment'));
  assert.deepEqual(lines.map(({ id }) => id).toSorted(), ['comment.ticket_id', 'ticket.customer_id', 'ticket.user_id']);
  assert.deepEqual(alone, ['note']);
  for (const one of boxes)
    for (const other of boxes)
      assert.ok(one === other || one.x !== other.x || one.y + one.height <= other.y || other.y + other.height <= one.y);
});

test('entities that look up each other and themselves are laid out once', () => {
  const { boxes, lines } = layoutOf([entity('a', 'b', 'a'), entity('b', 'a')]);
  assert.deepEqual(boxes.map(({ name }) => name).toSorted(), ['a', 'b']);
  assert.equal(lines.length, 3);
});

test('nothing to draw is no error', () => {
  assert.deepEqual(layoutOf([entity('a')]), { boxes: [], lines: [], alone: ['a'], width: 0, height: 0 });
});
