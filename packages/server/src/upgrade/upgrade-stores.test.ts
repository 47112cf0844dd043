import assert from 'node:assert/strict';
import { test } from 'node:test';
import { platformAuditEntry } from '../audit/audit-entry.ts';
import { orgs, platformScopeName } from '../people/org-users/org-directory.ts';
import { interceptOpened } from '../store/intercepted-store.ts';
import type { Append, Item, OpenedStore, Put } from '../store/port.ts';
import { everythingOf } from '../store/testing/conformance/store-contents.ts';
import { Crash } from '../store/testing/failing-store.ts';
import { openStore } from '../store/testing/open-store.ts';
import { isQuick } from '../store/testing/quick.ts';
import type { Migration, Stores } from './migrations.ts';
import { staleVersion, upgradeStores } from './upgrade-stores.ts';

const clock = { now: () => 0 };

async function emptyStores(version: number): Promise<Stores> {
  const open = async () => {
    const opened = await openStore({ kind: 'memory', clock });
    await opened.maintenance.setDataVersion(version);
    return opened;
  };
  return { platform: await open(), test: await open(), prod: await open() };
}

function versionsOf({ platform, test: ofTest, prod }: Stores): Promise<readonly number[]> {
  return Promise.all([platform, ofTest, prod].map(({ maintenance }) => maintenance.dataVersion()));
}

const put = (pk: string, sk: string, value: string): Put => ({ kind: 'put', pk, sk, value, if: 'any' });
const chained: Append = { kind: 'append', pk: 'audit', value: '{}', isChained: true };

/** Counts in another way, and makes a second item of each. */
const counting: Migration = {
  to: 2,
  says: 'counts are members',
  rewrite: (item, { space, scope }) => {
    if (item.pk !== 'count' || item.value.startsWith('{')) return [];
    return [
      { ...item, value: JSON.stringify({ count: Number(item.value) }) },
      { pk: 'copied', sk: item.sk, version: item.version, value: `${space} ${scope}` },
    ];
  },
};

/** So many that a scope takes several pages. */
async function filledStores(): Promise<Stores> {
  const stores = await emptyStores(1);
  for (const opened of [stores.platform, stores.test, stores.prod])
    for (const scope of ['a', 'b']) {
      const counts = Array.from({ length: 1500 }, (_, index) => put('count', String(index), String(index)));
      await opened.store.scope(scope).commit([...counts, put('other', 'x', '7'), chained]);
    }
  await stores.prod.maintenance.setState('b', 'closed');
  return stores;
}

async function contentsOf({ platform, test: ofTest, prod }: Stores) {
  return Promise.all([platform, ofTest, prod].map(({ maintenance }) => everythingOf(maintenance)));
}

test('a migration rewrites what it knows, step by step, and leaves versions, heads, logs and everything else', async () => {
  const stores = await filledStores();
  const before = await contentsOf(stores);
  await upgradeStores(stores, [counting]);
  assert.deepEqual(await versionsOf(stores), [2, 2, 2]);
  const after = await contentsOf(stores);
  assert.deepEqual(
    after.map(({ heads }) => heads),
    before.map(({ heads }) => heads),
  );
  const [was, items] = [before, after].map(([, ofTest]) => (ofTest?.items ?? []).flat());
  assert.ok(was !== undefined && items !== undefined);
  const counts = items.filter(({ pk }) => pk === 'count');
  assert.ok(counts.length === 3000 && counts.every(({ version, value }) => version === 1 && value.startsWith('{')));
  const [first] = items.filter(({ pk }) => pk === 'copied');
  assert.deepEqual([first?.value, first?.version], ['test a', 1]);
  const left = ({ pk }: Item) => pk !== 'count' && pk !== 'copied';
  assert.deepEqual(items.filter(left), was.filter(left));
});

/** The process dies at one call, before or after it takes effect; every load is held to what a commit may take. */
function dying(opened: OpenedStore, at: { left: number; readonly when: 'before' | 'after' }): OpenedStore {
  return interceptOpened(opened, async (_operation, call) => {
    at.left -= 1;
    if (at.left < -1 || (at.left === -1 && at.when === 'before')) throw new Crash();
    const answer = await call();
    if (at.left < 0) throw new Crash();
    return answer;
  });
}

test('a migration that dies at any of its calls goes on at the next start, and no other release takes the stores meanwhile', async () => {
  const whole = await filledStores();
  await upgradeStores(whole, [counting]);
  const expected = await contentsOf(whole);
  const untouched = JSON.stringify(await contentsOf(await filledStores()));
  for (const when of ['before', 'after'] as const)
    for (let calls = 0, isThrough = false; !isThrough; calls += isQuick ? 3 : 1) {
      const stores = await filledStores();
      const at = { left: calls, when };
      const dyingStores = {
        platform: dying(stores.platform, at),
        test: dying(stores.test, at),
        prod: dying(stores.prod, at),
      };
      isThrough = await upgradeStores(dyingStores, [counting]).then(
        () => true,
        (error) => {
          assert.ok(error instanceof Crash);
          return false;
        },
      );
      if (!isThrough && JSON.stringify(await contentsOf(stores)) !== untouched)
        assert.notDeepEqual(await versionsOf(stores), [1, 1, 1]);
      await upgradeStores(stores, [counting]);
      assert.deepEqual(await contentsOf(stores), expected, `died ${when} call ${calls}`);
      assert.deepEqual(await versionsOf(stores), [2, 2, 2]);
      assert.ok(calls < 100 && (calls > 10 || !isThrough));
    }
});

test('migrations follow one another, each store from where it stands, and none is made twice', async () => {
  const stores = await emptyStores(1);
  await stores.test.maintenance.setDataVersion(-2);
  await stores.prod.maintenance.setDataVersion(3);
  await stores.test.store.scope('s').commit([put('p', 'k', '')]);
  const made: string[] = [];
  const migration = (to: number): Migration => ({
    to,
    says: '',
    judge: async () => void made.push(`judge ${to}`),
    rewrite: (_item, { space }) => {
      made.push(`${space} ${to}`);
      return [];
    },
  });
  await upgradeStores(stores, [migration(2), migration(3)]);
  assert.deepEqual(made, ['judge 2', 'test 2', 'judge 3', 'test 3']);
  assert.deepEqual(await versionsOf(stores), [3, 3, 3]);
  await upgradeStores(stores, [migration(2), migration(3)]);
  assert.equal(made.length, 4);
});

test('a scope that has lost its head is not rewritten, since its numbers would start again', async () => {
  const stores = await emptyStores(1);
  await stores.test.maintenance.load({ name: 's', seq: 0, state: 'open' }, [
    { pk: 'count', sk: 'k', version: 3, value: '1' },
  ]);
  await assert.rejects(upgradeStores(stores, [counting]), /has lost the head row of the scope `s`: restore a backup/);
});

const auditContext = {
  at: '2026-11-22T00:00:00.000Z',
  actor: { kind: 'platform', id: 'platform' },
  request_id: '',
} as const;

test('unnumbered data whose logs are chained is taken as it is', async () => {
  const stores = await emptyStores(1);
  const { pk, sk } = orgs.key('shop');
  await stores.platform.store
    .scope(platformScopeName)
    .commit([put(pk, sk, '{}'), platformAuditEntry('shop', auditContext, { action: 'org.created' })]);
  await stores.test.store.scope('org#shop').commit([chained, put('config', 'head', '{}')]);
  const before = await contentsOf(stores);
  await upgradeStores(stores);
  assert.deepEqual(await contentsOf(stores), before);
  assert.equal(await staleVersion(stores), undefined);
});

const unchained: Readonly<Record<string, (stores: Stores) => Promise<unknown>>> = {
  'an org without a log': ({ platform }) => {
    const { pk, sk } = orgs.key('shop');
    return platform.store.scope(platformScopeName).commit([put(pk, sk, '{}')]);
  },
  'a log of an org that was chained later': ({ platform }) => {
    const { pk, sk } = orgs.key('shop');
    const entry = platformAuditEntry('shop', auditContext, { action: 'org.created' });
    const { isChained: _, ...loose } = entry;
    return platform.store.scope(platformScopeName).commit([put(pk, sk, '{}'), loose, entry]);
  },
  'a loose log of the operator': ({ platform }) =>
    platform.store.scope(platformScopeName).commit([{ kind: 'append', pk: 'audit', value: '{"at":"2026"}' }]),
  'a loose log in production': ({ prod }) =>
    prod.store.scope('org#shop').commit([{ kind: 'append', pk: 'audit', value: '{"at":"2026"}' }]),
};

for (const [name, write] of Object.entries(unchained))
  test(`unnumbered data with ${name} is refused in one sentence, and left as it is`, async () => {
    const stores = await emptyStores(1);
    await write(stores);
    await assert.rejects(upgradeStores(stores), (error) => {
      assert.ok(error instanceof Error);
      assert.match(
        error.message,
        /^was written by a development version from before audit logs were chained \(that of/,
      );
      return true;
    });
    assert.deepEqual(await versionsOf(stores), [1, 1, 1]);
  });
