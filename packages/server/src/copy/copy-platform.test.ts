import assert from 'node:assert/strict';
import { createSecretKey, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { platformScopeName } from '../people/org-users/org-directory.ts';
import { readSecrets, type Secrets, type SecretsVault, secretsKey, writeSecrets } from '../people/secrets.ts';
import { createSecretsInMemory } from '../people/testing/secrets-in-memory.ts';
import type { Maintenance, OpenedStore } from '../store/port.ts';
import { everythingOf } from '../store/testing/conformance/store-contents.ts';
import { openMemory } from '../store/testing/open-memory.ts';
import { type CopyEnd, copiedSpaces, copyPlatform, type SecretsLocation } from './copy-platform.ts';

const clock = { now: () => 1_000 };
const secrets: Partial<Secrets> = { cursor_key: Buffer.alloc(32, 7).toString('base64url') };
const others: Partial<Secrets> = { cursor_key: Buffer.alloc(32, 8).toString('base64url') };
const masterKey = createSecretKey(randomBytes(32));

type Kind = 'a file' | 'a store' | 'a store with a master key';

const kinds: readonly Kind[] = ['a file', 'a store', 'a store with a master key'];

function placeFor(kind: Kind, kept: Partial<Secrets> = {}): SecretsLocation {
  if (kind === 'a file') return { file: createSecretsInMemory(kept) };
  return { masterKey: kind === 'a store' ? undefined : masterKey };
}

function emptyEnd(kind: Kind): CopyEnd {
  const [prod, test_, platform] = [openMemory({ clock }), openMemory({ clock }), openMemory({ clock })];
  return { stores: { prod, test: test_, platform }, secrets: placeFor(kind) };
}

/** A platform with something in each store; `isNew` is one without accounts. */
async function sourceEnd(kind: Kind, isNew = false): Promise<CopyEnd> {
  const end = { ...emptyEnd(kind), secrets: placeFor(kind, secrets) };
  const { platform } = end.stores;
  for (const space of isNew ? [] : copiedSpaces) {
    const { store } = end.stores[space];
    for (const name of ['another', 'platform', 'r']) {
      await store.scope(name).commit([{ kind: 'put', pk: 'p', sk: space, value: 'before', if: 'any' }]);
      await store.scope(name).commit([{ kind: 'put', pk: 'platform', sk: 'zzz', value: 'behind', if: 'any' }]);
      const target = { pk: 'p', sk: space };
      await store.scope(name).commit([{ kind: 'put-index', pk: 'index#i', sk: 'k', target }]);
    }
  }
  if (!('file' in end.secrets)) {
    const value = writeSecrets(secrets, end.secrets.masterKey);
    await platform.store.scope(platformScopeName).commit([{ kind: 'put', ...secretsKey, value, if: 'any' }]);
  }
  return end;
}

/** The secrets that a platform would read. */
async function secretsIn({ stores, secrets: place }: CopyEnd): Promise<Partial<Secrets>> {
  if ('file' in place) return (await place.file.read()).secrets;
  const [item] = await stores.platform.store.scope(platformScopeName).get([secretsKey]);
  return item === undefined ? {} : readSecrets(item.value, place.masterKey).secrets;
}

/** All that an end holds but its secrets, which lie elsewhere or are sealed again. */
async function contentsOf({ stores }: CopyEnd) {
  const all = [];
  for (const space of copiedSpaces) {
    const { heads, items, ...dues } = await everythingOf(stores[space].maintenance);
    const rest = items.map((each) => each.filter(({ pk, sk }) => pk !== secretsKey.pk || sk !== secretsKey.sk));
    all.push({ heads, items: rest, ...dues });
  }
  return all;
}

class Crash extends Error {}

/** The process ends at one call of those to either end, before it takes effect or after. */
function dying(callsLeft: number, when: 'before' | 'after') {
  let left = callsLeft;
  const counted = async <T>(call: () => Promise<T>): Promise<T> => {
    left -= 1;
    if (left < -1 || (left === -1 && when === 'before')) throw new Crash();
    const answer = await call();
    if (left < 0) throw new Crash();
    return answer;
  };
  const maintenanceOf = (inner: Maintenance): Maintenance => ({
    scopes: (after, limit) => counted(() => inner.scopes(after, limit)),
    scan: (scope, after, limit) => counted(() => inner.scan(scope, after, limit)),
    due: (queue, before, limit) => counted(() => inner.due(queue, before, limit)),
    setState: (scope, state) => counted(() => inner.setState(scope, state)),
    load: (head, items) => counted(() => inner.load(head, items)),
    dataVersion: () => inner.dataVersion(),
    setDataVersion: (version) => inner.setDataVersion(version),
  });
  const storeOf = ({ store, maintenance }: OpenedStore): OpenedStore => ({
    maintenance: maintenanceOf(maintenance),
    store: {
      ...store,
      scope: (name) => ({ ...store.scope(name), get: (keys) => counted(() => store.scope(name).get(keys)) }),
    },
  });
  const fileOf = (inner: SecretsVault): SecretsVault => ({
    read: () => counted(() => inner.read()),
    write: (next, seen) => counted(() => inner.write(next, seen)),
  });
  return ({ stores, secrets: place }: CopyEnd): CopyEnd => ({
    stores: { prod: storeOf(stores.prod), test: storeOf(stores.test), platform: storeOf(stores.platform) },
    secrets: 'file' in place ? { file: fileOf(place.file) } : place,
  });
}

for (const fromKind of kinds)
  for (const toKind of kinds) {
    test(`a copy from ${fromKind} to ${toKind} that dies at one call goes on, and opens nothing without its secrets`, async () => {
      const from = await sourceEnd(fromKind);
      const [expected, before] = [
        await contentsOf(from),
        JSON.stringify(await everythingOf(from.stores.platform.maintenance)),
      ];
      let crashes = 0;
      for (const when of ['before', 'after'] as const)
        for (let calls = 0; ; calls++) {
          const to = emptyEnd(toKind);
          const end = dying(calls, when);
          const hasDied = await copyPlatform(end(from), end(to)).then(
            () => false,
            (error: unknown) => error instanceof Crash,
          );
          const isOpen = (await to.stores.platform.maintenance.scopes(undefined, 10)).some(({ seq }) => seq > 0);
          if (isOpen) assert.deepEqual(await secretsIn(to), secrets);
          await copyPlatform(from, to);
          assert.deepEqual(await contentsOf(to), expected);
          assert.deepEqual(await secretsIn(to), secrets);
          if (!hasDied) break;
          crashes++;
        }
      assert.ok(crashes > 60, `${crashes} places to die at`);
      assert.equal(JSON.stringify(await everythingOf(from.stores.platform.maintenance)), before);
    });
  }

for (const isNew of [false, true])
  test(`a copy of a platform ${isNew ? 'without an org' : 'with orgs'} that is made again says that it is complete, and writes nothing`, async () => {
    for (const fromKind of kinds)
      for (const toKind of kinds) {
        const [from, to] = [await sourceEnd(fromKind, isNew), emptyEnd(toKind)];
        await copyPlatform(from, to);
        assert.deepEqual(await secretsIn(to), secrets);
        const whole = await everythingOf(to.stores.platform.maintenance);
        const again = await copyPlatform(from, to);
        assert.deepEqual(
          again.map(({ written, wasComplete }) => [written, wasComplete]),
          copiedSpaces.map(() => [0, true]),
        );
        assert.deepEqual(await everythingOf(to.stores.platform.maintenance), whole);
      }
  });

test('secrets leave no trace in the store of a platform that keeps them in a file', async () => {
  const to = emptyEnd('a file');
  await copyPlatform(await sourceEnd('a store'), to);
  assert.deepEqual(await to.stores.platform.store.scope(platformScopeName).get([secretsKey]), [undefined]);
});

test('a target with other secrets, or with secrets of another master key, is refused and left as it is', async () => {
  const from = await sourceEnd('a file');
  const folder: CopyEnd = { ...emptyEnd('a file'), secrets: placeFor('a file', others) };
  await assert.rejects(copyPlatform(from, folder), /the target holds other secrets than the source/);
  assert.deepEqual(await folder.stores.platform.maintenance.scopes(undefined, 5), []);
  assert.deepEqual(await secretsIn(folder), others);
  const store = emptyEnd('a store with a master key');
  await copyPlatform(from, store);
  const whole = await everythingOf(store.stores.platform.maintenance);
  const wrong: CopyEnd = { ...store, secrets: { masterKey: createSecretKey(randomBytes(32)) } };
  await assert.rejects(copyPlatform(from, wrong), /do not open with FREEHOLD_MASTER_KEY/);
  await assert.rejects(copyPlatform(from, { ...store, secrets: { masterKey: undefined } }), /set FREEHOLD_MASTER_KEY/);
  assert.deepEqual(await everythingOf(store.stores.platform.maintenance), whole);
});

test('a platform that has run on the target is not copied over, and said to be there', async () => {
  const [from, to] = [await sourceEnd('a file'), emptyEnd('a store with a master key')];
  await copyPlatform(from, to);
  await to.stores.platform.store.scope(platformScopeName).commit([{ kind: 'append', pk: 'audit', value: '1' }]);
  const wrong: CopyEnd = { ...to, secrets: { masterKey: createSecretKey(randomBytes(32)) } };
  await assert.rejects(copyPlatform(from, wrong), /the target holds something else in `platform`/);
});
