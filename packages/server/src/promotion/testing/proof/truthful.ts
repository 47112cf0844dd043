import assert from 'node:assert/strict';
import { verifyStore } from '../../../maintenance/verify-store.ts';
import { verifyParts } from '../../../testing/record-bench.ts';
import { org, type TwoSpaces } from './two-spaces.ts';
import { danglingIn, differences, type World } from './world.ts';

/** What those who ask are told is what is so, and what is stored is whole. */
export async function assertTruthful(spaces: TwoSpaces, world: World): Promise<void> {
  const { promotion } = spaces.node();
  assert.deepEqual(danglingIn(world.prod), []);
  const told = await promotion.diff(org);
  const keys = told.map(({ kind, name }) => `${kind}#${name}`);
  assert.deepEqual(new Set(keys), differences(world));
  assert.deepEqual(
    keys.filter((_, index) => told[index]?.staged),
    keys.filter((key) => world.staged.has(key)),
  );
  const { items } = await promotion.history(org, { pageSize: 100, nexttoken: undefined });
  const versions = world.past.map((_, index) => world.past.length - index);
  assert.deepEqual(
    items.map(({ version }) => version),
    versions,
  );
  assert.deepEqual(
    (await promotion.retired(org)).map(({ name }) => name),
    [...world.retired].sort(),
  );
  assert.deepEqual((await verifyStore(verifyParts(spaces.bench.prod))).drift, []);
}
