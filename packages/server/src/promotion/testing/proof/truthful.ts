import assert from 'node:assert/strict';
import { verifyBench } from '../../../testing/record-bench.ts';
import { danglingIn, differences, type ModelState } from './model-state.ts';
import { org, type TwoSpaces } from './two-spaces.ts';

/** Answers are true, and stored data is complete. */
export async function assertTruthful(spaces: TwoSpaces, model: ModelState): Promise<void> {
  const { promotion } = spaces.node();
  assert.deepEqual(danglingIn(model.prod), []);
  const reported = await promotion.diff(org);
  const keys = reported.map(({ kind, name }) => `${kind}#${name}`);
  assert.deepEqual(new Set(keys), differences(model));
  assert.deepEqual(
    keys.filter((_, index) => reported[index]?.staged),
    keys.filter((key) => model.staged.has(key)),
  );
  const { items } = await promotion.history(org, { pageSize: 100, nexttoken: undefined });
  const versions = model.past.map((_, index) => model.past.length - index);
  assert.deepEqual(
    items.map(({ version }) => version),
    versions,
  );
  assert.deepEqual(
    (await promotion.retired(org, 'entity')).map(({ name }) => name),
    [...model.retired].sort(),
  );
  assert.deepEqual((await verifyBench(spaces.bench.prod)).drift, []);
}
