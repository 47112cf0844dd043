/** Many items of test are changed by one commit, or none of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orgScopeName } from '../entities/workspace.ts';
import { Problem } from '../lib/problem.ts';
import { Crash, crashing } from '../store/failing-store.ts';
import { interceptStore } from '../store/intercepted-store.ts';
import { block } from './proof/attacks.ts';
import { asked, org, TwoSpaces } from './proof/two-spaces.ts';

const options = { removes: true, force: false, mayChange: () => undefined };

/** The archive of what the second state of an org is, and the org in its first. */
async function twoStates(): Promise<{ readonly spaces: TwoSpaces; readonly wanted: Buffer; readonly stands: Buffer }> {
  const spaces = await TwoSpaces.inMemory();
  await spaces.editEntity('a', { UpdateParams: [{ name: 'v' }] });
  await spaces.editEntity('b', { UpdateParams: [{ name: 'to_a', colType: 'guid', lookup: { entity: 'a' } }] });
  await spaces.editEntity('same', { UpdateParams: [{ name: 'v' }] });
  await spaces.editItem({ kind: 'logicblock', name: 'gone' }, block('gone'));
  await spaces.editItem({ kind: 'settings', name: 'house.frame' }, { value: 1 });
  const other = await spaces.copy();
  await other.editEntity('a', { UpdateParams: [{ name: 'v' }, { name: 'w' }] });
  await other.editEntity('b', undefined);
  await other.editItem({ kind: 'logicblock', name: 'gone' }, undefined);
  await other.editItem({ kind: 'logicblock', name: 'l' }, block('l'));
  await other.editItem({ kind: 'settings', name: 'house.frame' }, { value: 2 });
  return { spaces, wanted: await archive(other), stands: await archive(spaces) };
}

async function archive(spaces: TwoSpaces): Promise<Buffer> {
  return Buffer.from([...(await spaces.node().promotion.archive(org, 'test'))].join(''));
}

function rows(spaces: TwoSpaces) {
  return spaces.opened.test.maintenance.scan(orgScopeName(org), undefined, 100_000);
}

async function compared(spaces: TwoSpaces, wanted: Buffer): Promise<string> {
  return (await spaces.node().promotion.importArchive(asked, wanted, { ...options, base: undefined })).base;
}

test('all of an import is one commit, and only configs that are other than before get a version', async () => {
  const { spaces, wanted } = await twoStates();
  const base = await compared(spaces, wanted);
  const before = new Map((await rows(spaces)).map(({ pk, sk, value }) => [`${pk} ${sk}`, value]));
  let commits = 0;
  const counted = interceptStore(spaces.stores.test, async ({ changes }, call) => {
    if (changes !== undefined) commits += 1;
    return call();
  });
  const node = spaces.node({ ...spaces.stores, test: counted });
  const { version } = await node.promotion.importArchive(asked, wanted, { ...options, base });
  assert.equal(commits, 1);
  const changed = (await rows(spaces)).filter(({ pk, sk, value }) => before.get(`${pk} ${sk}`) !== value);
  const bodies = changed.filter(({ pk }) => pk === 'config;versions').map(({ sk }) => sk);
  assert.deepEqual(bodies.toSorted(), [
    `apiname#create-a;version#${version}`,
    `logicblock#l;version#${version}`,
    `settings#house.frame;version#${version}`,
  ]);
  const told = changed.filter(({ pk }) => pk === 'config;history').map(({ sk }) => sk.split(';')[0]);
  assert.deepEqual(told.toSorted(), [
    'entity#a',
    'entity#b',
    'logicblock#gone',
    'logicblock#l',
    'settings#house.frame',
  ]);
  assert.equal(changed.filter(({ pk }) => pk === 'audit').length, 5);
  assert.ok(changed.every(({ sk }) => !/\bsame\b/.test(sk)));
  assert.ok((await archive(spaces)).equals(wanted));
});

test('whoever dies at a call of the store while importing leaves what was or what was wanted, and it can be asked for again', async () => {
  const { spaces: origin, wanted, stands } = await twoStates();
  const base = await compared(origin, wanted);
  const seen = new Set<string>();
  for (const when of ['before', 'after'] as const)
    for (let calls = 0, isDone = false; !isDone; calls++) {
      const spaces = await origin.copy();
      const node = spaces.node({ ...spaces.stores, test: crashing(spaces.stores.test, calls, when) });
      isDone = await node.promotion.importArchive(asked, wanted, { ...options, base }).then(
        () => true,
        (error: unknown) => {
          assert.ok(error instanceof Crash, String(error));
          return false;
        },
      );
      const left = await archive(spaces);
      const isOld = left.equals(stands);
      assert.ok(isOld || left.equals(wanted), `dead ${when} call ${calls}`);
      seen.add(isOld ? 'old' : 'new');
      const again = await compared(spaces, wanted);
      assert.equal(again === base, isOld);
      await spaces.node().promotion.importArchive(asked, wanted, { ...options, base: again });
      assert.ok((await archive(spaces)).equals(wanted));
    }
  assert.deepEqual([...seen].toSorted(), ['new', 'old']);
});

test('where one item is refused nothing of the others is written', async () => {
  const { spaces, wanted } = await twoStates();
  const base = await compared(spaces, wanted);
  const before = await rows(spaces);
  const mayChange = ({ kind }: { readonly kind: string }) => {
    if (kind === 'settings') throw new Problem('role_required', 'not you');
  };
  const node = spaces.node();
  await assert.rejects(node.promotion.importArchive(asked, wanted, { ...options, base, mayChange }), Problem);
  const { problems } = await node.promotion.importArchive(asked, wanted, { ...options, base: undefined, mayChange });
  assert.deepEqual(problems, [{ kind: 'settings', name: 'house.frame', code: 'role_required', message: 'not you' }]);
  assert.deepEqual(await rows(spaces), before);
});

test('of two imports at once on what both have seen one is made, and the other is told that test has changed', async () => {
  const { spaces, wanted } = await twoStates();
  const base = await compared(spaces, wanted);
  const outcomes = await Promise.all(
    [1, 2].map(() =>
      spaces
        .node()
        .promotion.importArchive(asked, wanted, { ...options, base })
        .then(
          () => 'done',
          (error: unknown) => (error instanceof Problem ? error.code : String(error)),
        ),
    ),
  );
  assert.deepEqual(outcomes.toSorted(), ['done', 'version_mismatch']);
});
