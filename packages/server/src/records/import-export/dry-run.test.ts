import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Change, Scope } from '../../store/port.ts';
import { openBench } from '../../testing/record-bench.ts';
import type { RecordWriteDeps } from '../writing/record-write-deps.ts';
import { type DryRunOptions, dryRun } from './dry-run.ts';

const place = (sk: string) => ({ pk: 'place', sk });
const put = (sk: string, value = 'new'): Change => ({ kind: 'put', ...place(sk), value, if: 'any' });

/** The scope of a dry run, in a workspace that has `a`. */
async function opened(context: TestContext, options: DryRunOptions): Promise<Scope> {
  const bench = await openBench(context);
  const node = bench.node();
  await node.admin.define('acme', { entityName: 'thing', UpdateParams: [{ name: 'a' }] });
  await bench.workspace.scope.commit([put('a', 'old')]);
  const before = await bench.contents();
  context.after(async () => assert.deepEqual(await bench.contents(), before));
  return dryRun({} as RecordWriteDeps, await node.call('thing'), options).call.workspace.scope;
}

async function values(scope: Scope, ...places: readonly string[]): Promise<readonly (string | undefined)[]> {
  return (await scope.get(places.map(place))).map((item) => item?.value);
}

test('what is written in a dry run is seen in it, and nowhere else', async (context) => {
  const scope = await opened(context, { keepsValues: true });
  await scope.commit([put('b'), { kind: 'remove', ...place('a'), if: 'any' }]);
  assert.deepEqual(await values(scope, 'a', 'b', 'c'), [undefined, 'new', undefined]);
  await scope.commit([put('a', 'again')]);
  assert.deepEqual(await values(scope, 'a'), ['again']);
});

test('a counter goes on from what stands', async (context) => {
  const scope = await opened(context, { keepsValues: false });
  const add: Change = { kind: 'add', pk: 'number', sk: 'n', by: 3 };
  assert.deepEqual((await scope.commit([add])).sums, [3]);
  assert.deepEqual((await scope.commit([put('x'), add])).sums, [6]);
});

test('where values are not read again only the places are kept that are taken', async (context) => {
  const scope = await opened(context, { keepsValues: false });
  await scope.commit([put('b')]);
  assert.deepEqual(await values(scope, 'b'), ['']);
});

test('more than its bounds a dry run does not keep, and what one commit wrote it keeps or forgets together', async (context) => {
  for (const bounds of [
    { places: 3, characters: 1000 },
    { places: 1000, characters: 8 },
  ]) {
    const scope = await opened(context, { keepsValues: true, bounds });
    await scope.commit([put('b'), put('c')]);
    await scope.commit([put('d'), put('e')]);
    assert.deepEqual(await values(scope, 'b', 'c', 'd', 'e'), ['new', 'new', 'new', 'new']);
    await scope.commit([put('f')]);
    assert.deepEqual(await values(scope, 'a', 'b', 'c', 'd', 'e', 'f'), [
      'old',
      undefined,
      undefined,
      undefined,
      undefined,
      'new',
    ]);
  }
});
