/** Facts about a switch beside those that its items name. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Change, limits } from '../../store/port.ts';
import type { ItemTarget } from '../config-kind.ts';
import { sizeChecks } from './checks.ts';

const change: Change = { kind: 'remove', pk: 'p', sk: 'k', if: 'any' };
const target: ItemTarget = { kind: 'crew', name: 'c', wanted: undefined };

function notified(changes: number, targets: number): readonly string[] {
  const planned = { changes: Array<Change>(changes).fill(change) };
  return sizeChecks(planned, Array<ItemTarget>(targets).fill(target)).map(
    ({ level, message }) => `${level} ${message}`,
  );
}

test('a switch that is more than one commit takes is refused beforehand, with how much it is', () => {
  const targets = 4000;
  const most = limits.changesMax - targets - 10;
  assert.deepEqual(notified(most, targets), []);
  assert.match(
    notified(most + 1, targets).join(),
    /^error these 4000 items .* 10001 changes of at most 10000: unstage some/,
  );
});
