import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chainHeadKey, headValue, readHead } from '../store/chain.ts';
import type { Item, OpenedStore } from '../store/port.ts';
import { openStore } from '../store/testing/open-store.ts';
import { auditEntry, platformAuditEntry } from './audit-entry.ts';
import { createVerifiedChains, type Verification } from './verified-chains.ts';

const clock = { now: () => Date.UTC(2026, 0, 1) };
const auditContext = { at: '2026-01-01T00:00:00.000Z', actor: { kind: 'org_user', id: 'u' }, request_id: 'r' } as const;
const inOrg: Verification = { tenantCode: undefined, restart: false };
const afresh: Verification = { ...inOrg, restart: true };

/** One store for all data spaces: the scopes of production have a name of their own here. */
function chainsOn({ store }: OpenedStore, now = clock.now()) {
  const named = (name: string) => ({ test: store.scope(name), prod: store.scope(`prod${name}`) });
  return createVerifiedChains({
    platform: store.scope('platform'),
    orgScopes: (org) => named(`org#${org}`),
    workspaceScopes: (org, tenant) => named(`org#${org}-${tenant}`),
    clock: { now: () => now },
  });
}

async function bench(entries: number) {
  const opened = await openStore({ kind: 'memory', clock });
  const { store } = opened;
  await store.scope('platform').commit([platformAuditEntry('acme', auditContext, { action: 'org.created' })]);
  const scope = store.scope('org#acme');
  const write = async (count: number) => {
    for (let left = count; left > 0; left -= 500)
      await scope.commit(
        Array.from({ length: Math.min(left, 500) }, (_, index) => auditEntry(auditContext, { action: `a${index}` })),
      );
  };
  await write(entries);
  return { opened, scope, write, chains: chainsOn(opened) };
}

/** The facts that are known of the chain of the test environment. */
async function ofTest(states: Promise<readonly { readonly chain: string }[]>) {
  const state = (await states).find(({ chain }) => chain === 'test');
  return state as Awaited<ReturnType<ReturnType<typeof chainsOn>['show']>>[number];
}

/** The same store with the items of the org's scope in the test environment changed. */
async function tampered(
  { maintenance }: OpenedStore,
  change: (items: readonly Item[]) => readonly Item[],
): Promise<ReturnType<typeof chainsOn>> {
  const copy = await openStore({ kind: 'memory', clock });
  for (const head of await maintenance.scopes(undefined, 100)) {
    const items = await maintenance.scan(head.name, undefined, 10_000);
    await copy.maintenance.load(head, head.name === 'org#acme' ? change(items) : items);
  }
  return chainsOn(copy);
}

function withoutEntry(at: number) {
  return (items: readonly Item[]) => {
    const gone = items.filter(({ pk }) => pk === 'audit')[at - 1];
    return items.filter((item) => item !== gone);
  };
}

function withEntry(at: number, change: (value: string) => string) {
  return (items: readonly Item[]) => {
    const entry = items.filter(({ pk }) => pk === 'audit')[at - 1];
    return items.map((item) => (item === entry ? { ...item, value: change(item.value) } : item));
  };
}

/** Nine entries without the last one, and a head that says so. */
function cutToEight(items: readonly Item[]): readonly Item[] {
  const digest = (items.filter(({ pk }) => pk === 'audit')[7]?.value ?? '').slice(0, 64);
  return withoutEntry(9)(items).map((item) =>
    item.pk === 'chain' ? { ...item, value: headValue({ count: 8, digest }) } : item,
  );
}

test('a long chain is verified part by part, and what is appended meanwhile by the next call', async () => {
  const { chains, write } = await bench(4500);
  assert.deepEqual(await ofTest(chains.show('acme', undefined)), {
    ...{ chain: 'test', entries: 4500, verified: 0, verified_at: null, digest: null, broken: null },
  });
  // The entry of the org itself is among the first 2,000.
  for (const verified of [1999, 3999, 4500])
    assert.equal((await ofTest(chains.verify('acme', inOrg))).verified, verified);
  await write(3);
  const shown = await ofTest(chains.show('acme', undefined));
  assert.deepEqual([shown.entries, shown.verified, shown.broken], [4503, 4500, null]);
  const last = await ofTest(chains.verify('acme', inOrg));
  assert.deepEqual([last.verified, last.broken, last.verified_at], [4503, null, '2026-01-01T00:00:00.000Z']);
  assert.deepEqual(await ofTest(chains.show('acme', undefined)), last);
});

test('the digest that is shown is that of the head, once all is verified', async () => {
  const { chains, scope } = await bench(7);
  const { digest } = await ofTest(chains.verify('acme', inOrg));
  const [head] = await scope.get([chainHeadKey('audit')]);
  assert.equal(readHead(head?.value ?? '')?.digest, digest);
});

test('entries are verified while others are appended', async () => {
  const { chains, write } = await bench(1200);
  const [state] = await Promise.all([ofTest(chains.verify('acme', inOrg)), write(40)]);
  assert.equal(state.broken, null);
  assert.equal((await ofTest(chains.verify('acme', inOrg))).verified, 1240);
});

test('what was changed before it was verified is found at its number, and is fine once it is restored', async () => {
  const { opened } = await bench(9);
  for (const [change, entry] of [
    [withEntry(4, (value) => value.replace('"a3"', '"xx"')), 4],
    [withoutEntry(5), 5],
    [withEntry(9, () => 'no entry'), 9],
    [withoutEntry(9), 9],
  ] as const) {
    const chains = await tampered(opened, change);
    const found = await ofTest(chains.verify('acme', inOrg));
    assert.deepEqual([found.broken?.entry, found.verified], [entry, entry - 1]);
    assert.deepEqual((await ofTest(chains.show('acme', undefined))).broken, found.broken);
    assert.equal((await ofTest(chains.verify('acme', inOrg))).broken?.entry, entry);
  }
});

test('a fault that is repaired is a fault no more', async () => {
  const { opened, chains, scope } = await bench(5);
  const [, second] = await scope.range('audit', { limit: 2 });
  assert.ok(second !== undefined);
  const put = (value: string) => scope.commit([{ kind: 'put', pk: 'audit', sk: second.sk, value, if: 'any' }]);
  await put(second.value.replace('a1', 'b1'));
  const { broken } = await ofTest(chains.verify('acme', inOrg));
  assert.equal(broken?.entry, 2);
  const later = chainsOn(opened, clock.now() + 1000);
  assert.deepEqual((await ofTest(later.verify('acme', inOrg))).broken, broken, 'it was found once');
  await put(second.value);
  const repaired = await ofTest(chains.verify('acme', inOrg));
  assert.deepEqual([repaired.verified, repaired.broken], [5, null]);
});

test('what is changed after it was verified is found by a verification from the first entry', async () => {
  const { opened, chains } = await bench(9);
  await chains.verify('acme', inOrg);
  const changed = await tampered(
    opened,
    withEntry(4, (value) => value.replace('"a3"', '"xx"')),
  );
  assert.equal((await ofTest(changed.verify('acme', inOrg))).broken, null);
  const found = await ofTest(changed.verify('acme', afresh));
  assert.deepEqual([found.broken?.entry, found.verified], [4, 3]);
});

test('a chain whose end was cut off is found, and so is another entry in the place of the last verified one', async () => {
  const { opened, chains } = await bench(9);
  await chains.verify('acme', inOrg);
  const cut = await tampered(opened, cutToEight);
  assert.match((await ofTest(cut.verify('acme', inOrg))).broken?.problem ?? '', /its head counts 8/);
  const replaced = await tampered(
    opened,
    withEntry(9, (value) => `${'0'.repeat(64)}${value.slice(64)}`),
  );
  assert.equal((await ofTest(replaced.verify('acme', inOrg))).broken?.entry, 9);
});

test('a fault stays known while the chain is verified from the first entry again, until its entry is looked at', async () => {
  const { opened, chains, scope } = await bench(6000);
  // The entry of the org itself is among the first 2,000: a part ends at entry 1,999, 3,999 and 5,999.
  const stored = (await scope.range('audit', { after: '', limit: 5000 })).at(-1) ?? assert.fail();
  const put = (value: string) => scope.commit([{ kind: 'put', pk: 'audit', sk: stored.sk, value, if: 'any' }]);
  await put(stored.value.replace('"a', '"b'));
  for (const _ of [1, 2]) assert.equal((await ofTest(chains.verify('acme', inOrg))).broken, null);
  const { broken } = await ofTest(chains.verify('acme', inOrg));
  assert.equal(broken?.entry, 5000);
  const later = chainsOn(opened, clock.now() + 1000);
  const again = await ofTest(later.verify('acme', afresh));
  assert.deepEqual([again.verified, again.broken], [1999, broken]);
  assert.deepEqual(await ofTest(later.show('acme', undefined)), again);
  await put(stored.value);
  for (const [verified, fault] of [
    [3999, broken],
    [5999, null],
  ] as const) {
    const state = await ofTest(later.verify('acme', inOrg));
    assert.deepEqual([state.verified, state.broken], [verified, fault]);
  }
});

test('a known fault is not left just before its entry, as if it were found again', async () => {
  for (const entry of [2000, 2001]) {
    const { chains, scope } = await bench(2100);
    const sk = (await scope.range('audit', { limit: entry })).at(-1)?.sk ?? assert.fail();
    const [item] = await scope.get([{ pk: 'audit', sk }]);
    const put = (value: string) => scope.commit([{ kind: 'put', pk: 'audit', sk, value, if: 'any' }]);
    await put('no entry');
    await chains.verify('acme', inOrg);
    assert.equal((await ofTest(chains.verify('acme', inOrg))).broken?.entry, entry);
    await put(item?.value ?? '');
    const { verified, broken } = await ofTest(chains.verify('acme', afresh));
    // With the entry of the org 2,000 are looked at, or one more.
    assert.deepEqual([verified, broken?.entry], entry === 2000 ? [2000, undefined] : [1999, 2001]);
    assert.deepEqual((await ofTest(chains.verify('acme', inOrg))).broken, null);
  }
});

test('a fault of a chain stays known by a call that comes no further than the chains before it', async () => {
  const { opened, chains, scope } = await bench(5);
  const [, second] = await scope.range('audit', { limit: 2 });
  assert.ok(second !== undefined);
  await scope.commit([{ kind: 'put', pk: 'audit', sk: second.sk, value: 'no entry', if: 'any' }]);
  const { broken } = await ofTest(chains.verify('acme', inOrg));
  assert.equal(broken?.entry, 2);
  const platform = opened.store.scope('platform');
  for (let written = 0; written < 2500; written += 500)
    await platform.commit(
      Array.from({ length: 500 }, (_, nr) => platformAuditEntry('acme', auditContext, { action: `a${nr}` })),
    );
  assert.deepEqual((await ofTest(chains.verify('acme', inOrg))).broken, broken);
  const again = await ofTest(chains.verify('acme', afresh));
  assert.deepEqual([again.verified, again.broken], [0, broken]);
});

test('a verification from the first entry finds an end that is cut off, and a log that is gone', async () => {
  const { opened, chains } = await bench(9);
  await chains.verify('acme', inOrg);
  const cut = await tampered(opened, cutToEight);
  const state = await ofTest(cut.verify('acme', afresh));
  assert.deepEqual([state.verified, state.broken?.entry], [8, 9]);
  assert.match(state.broken?.problem ?? '', /its head counts 8/);
  assert.deepEqual(await ofTest(cut.verify('acme', inOrg)), state);
  const gone = await tampered(opened, () => []);
  assert.match((await ofTest(gone.verify('acme', afresh))).broken?.problem ?? '', /head of the chain is missing/);
});

test('a chain without its head is broken, and so is a log that is gone', async () => {
  const { opened, chains } = await bench(3);
  await chains.verify('acme', inOrg);
  const headless = await tampered(opened, (items) => items.filter(({ pk }) => pk !== 'chain'));
  assert.match((await ofTest(headless.verify('acme', afresh))).broken?.problem ?? '', /head of the chain is missing/);
  const gone = await tampered(opened, () => []);
  assert.match((await ofTest(gone.verify('acme', inOrg))).broken?.problem ?? '', /head of the chain is missing/);
  const [org] = await chainsOn(await openStore({ kind: 'memory', clock })).verify('acme', inOrg);
  assert.match(org?.broken?.problem ?? '', /head of the chain is missing/);
});

test('a chain of a head with another digest is broken at its end', async () => {
  const { opened } = await bench(3);
  const value = headValue({ count: 3, digest: '1'.repeat(64) });
  const forged = await tampered(opened, (items) =>
    items.map((item) => (item.pk === 'chain' ? { ...item, value } : item)),
  );
  assert.match((await ofTest(forged.verify('acme', inOrg))).broken?.problem ?? '', /another digest/);
});

test('each workspace and each org has progress of its own', async () => {
  const { opened, chains } = await bench(2);
  const { store } = opened;
  for (const tenant of ['main', 'other'])
    await store.scope(`org#acme-${tenant}`).commit([auditEntry(auditContext, { action: tenant })]);
  await store.scope('platform').commit([platformAuditEntry('beta', auditContext, { action: 'org.created' })]);
  const verified = await chains.verify('acme', { tenantCode: 'main', restart: false });
  assert.deepEqual(
    verified.map((state) => [state.chain, state.entries, state.verified]),
    [
      ['org', 1, 1],
      ['test', 2, 2],
      ['prod', 0, 0],
      ['workspace_test', 1, 1],
      ['workspace_prod', 0, 0],
    ],
  );
  assert.deepEqual(
    (await chains.show('acme', 'other')).map((state) => state.verified),
    [1, 2, 0, 0, 0],
  );
  assert.deepEqual(
    (await chains.show('beta', undefined)).map((state) => [state.entries, state.verified]),
    [
      [1, 0],
      [0, 0],
      [0, 0],
    ],
  );
});

test('of two who verify at once each tells what is true, and nothing verified is lost', async () => {
  const { chains } = await bench(1500);
  const both = await Promise.all([ofTest(chains.verify('acme', inOrg)), ofTest(chains.verify('acme', inOrg))]);
  for (const state of both) assert.deepEqual([state.verified, state.broken], [1500, null]);
  assert.equal((await ofTest(chains.show('acme', undefined))).verified, 1500);
});
