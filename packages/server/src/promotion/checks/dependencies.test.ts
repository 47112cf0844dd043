/** The items that are published with another without being named. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itemKey } from '../../config/config-set.ts';
import { configKinds as kinds } from '../../testing/config-kinds.ts';
import type { ItemDifference } from '../differences/compare.ts';
import type { ItemBody } from '../item-storage.ts';
import { withDependencies } from './dependencies.ts';

/** As many blocks, each of which calls the next, and the last one the first. */
function ring(count: number): readonly ItemBody[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `b${index}`;
    const steps = [{ id: 's', type: 'call', logicblock: `b${(index + 1) % count}` }];
    return { kind: 'logicblock', name, version: 1, content: { name, steps } };
  });
}

test('removing an item removes all that refers to it, and each is asked once for its references', async () => {
  const bodies = ring(100);
  const expected = new Map(bodies.map((body) => [itemKey(body), body]));
  const differences = bodies.map(
    (body): ItemDifference => ({ kind: body.kind, name: body.name, change: 'removed', before: body, after: undefined }),
  );
  const requests: string[] = [];
  const { logicblock } = kinds;
  const references: typeof logicblock.references = (content, name) => {
    requests.push(name);
    return logicblock.references(content, name);
  };
  const watched = { ...kinds, logicblock: { ...logicblock, references } };
  const { selected, added } = await withDependencies(watched, { differences, expected }, differences.slice(0, 1));
  assert.deepEqual(
    selected.map(({ name }) => name),
    [
      'b0',
      ...bodies
        .slice(1)
        .map(({ name }) => name)
        .reverse(),
    ],
  );
  assert.equal(added[0]?.reason, 'in production it still refers to logicblock `b0`, which is taken away');
  assert.deepEqual(requests.toSorted(), bodies.map(({ name }) => name).toSorted());
});
