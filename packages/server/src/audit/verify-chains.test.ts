import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chainHeadKey, headValue, linkDigest, linkValue, readHead, readLink } from '../store/chain.ts';
import type { Item, OpenedStore } from '../store/port.ts';
import { openStore } from '../store/testing/open-store.ts';
import { auditEntry, platformAuditEntry } from './audit-entry.ts';
import { type Chain, exportedEntries, verifyChains } from './verify-chains.ts';

const clock = { now: () => 0 };
const auditContext = { at: '2026-01-01T00:00:00.000Z', actor: { kind: 'org_user', id: 'u' }, request_id: 'r' } as const;

async function gather<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function open(): Promise<OpenedStore> {
  return openStore({ kind: 'memory', clock });
}

/** A store with entries of an org, of a workspace of it, and of two orgs in one scope. */
async function written(): Promise<OpenedStore> {
  const opened = await open();
  const { store } = opened;
  for (let turn = 0; turn < 5; turn++) {
    await store.scope('org#acme').commit([auditEntry(auditContext, { action: `a${turn}` })]);
    await store.scope('org#acme-main').commit([auditEntry(auditContext, { action: `m${turn}` })]);
    await store
      .scope('platform')
      .commit([
        platformAuditEntry('acme', auditContext, { action: 'p' }),
        platformAuditEntry('other', auditContext, { action: 'o' }),
      ]);
  }
  return opened;
}

async function allChains(opened: OpenedStore, seen: (digest: string) => void = () => undefined): Promise<Chain[]> {
  return gather(verifyChains(opened, { owed: new Map(), seen }));
}

/** The same store with the items of one of its scopes changed. */
async function tampered(
  opened: OpenedStore,
  change: (items: readonly Item[]) => readonly Item[],
): Promise<OpenedStore> {
  const copy = await open();
  for (const head of await opened.maintenance.scopes(undefined, 100)) {
    const items = await opened.maintenance.scan(head.name, undefined, 1000);
    await copy.maintenance.load(head, head.name === 'org#acme' ? change(items) : items);
  }
  return copy;
}

const entryAt = (items: readonly Item[], index: number): Item =>
  items.filter(({ pk }) => pk === 'audit')[index] as Item;
const isHead = ({ pk }: Item): boolean => pk === 'chain';

/** With digests that were made again from an entry on, as an attacker who knows the algorithm could. */
function rechained(items: readonly Item[]): readonly Item[] {
  let digest = '';
  let count = 0;
  const entries = items.flatMap((item) => {
    if (isHead(item)) return [];
    const text = readLink(item)?.text ?? '';
    digest = linkDigest(digest, { scope: 'org#acme', pk: item.pk, sk: item.sk, text });
    count++;
    return [{ ...item, value: linkValue({ digest, text }) }];
  });
  return [...entries, { ...chainHeadKey('audit'), version: 9, value: headValue({ count, digest }) }];
}

test('untouched chains are whole, each by itself', async () => {
  const opened = await written();
  const chains = await allChains(opened);
  assert.deepEqual(
    chains.map(({ scope, pk, count, broken }) => [scope, pk, count, broken]),
    [
      ['org#acme', 'audit', 5, undefined],
      ['org#acme-main', 'audit', 5, undefined],
      ['platform', 'audit;acme', 5, undefined],
      ['platform', 'audit;other', 5, undefined],
    ],
  );
  const [head] = await opened.store.scope('org#acme').get([chainHeadKey('audit')]);
  assert.equal(readHead(head?.value ?? '')?.digest, chains[0]?.digest);
});

const tamperings: readonly [string, (items: readonly Item[]) => readonly Item[], number | undefined][] = [
  [
    'an entry was edited',
    (items) =>
      items.map((item) => (item === entryAt(items, 2) ? { ...item, value: item.value.replace('a2', 'xx') } : item)),
    2,
  ],
  [
    'an entry was edited with its digest',
    (items) =>
      items.map((item) => {
        if (item !== entryAt(items, 2)) return item;
        const before = readLink(entryAt(items, 1))?.digest ?? '';
        const text = (readLink(item)?.text ?? '').replace('a2', 'xx');
        return {
          ...item,
          value: linkValue({ digest: linkDigest(before, { scope: 'org#acme', pk: item.pk, sk: item.sk, text }), text }),
        };
      }),
    3,
  ],
  ['an entry was removed', (items) => items.filter((item) => item !== entryAt(items, 2)), 3],
  ['the first entry was removed', (items) => items.filter((item) => item !== entryAt(items, 0)), 1],
  [
    'an entry was put between others',
    (items) => [...items, { ...entryAt(items, 1), sk: `${entryAt(items, 1).sk}-1` }],
    undefined,
  ],
  ['an entry was put before the first', (items) => [...items, { ...entryAt(items, 0), sk: '!' }], undefined],
  ['an entry follows the last one', (items) => [...items, { ...entryAt(items, 4), sk: 'x' }], undefined],
  [
    'two entries have changed places',
    (items) =>
      items.map((item) => {
        if (item === entryAt(items, 1)) return { ...item, value: entryAt(items, 2).value };
        return item === entryAt(items, 2) ? { ...item, value: entryAt(items, 1).value } : item;
      }),
    1,
  ],
  ['the last entries were cut off', (items) => items.filter((item) => item !== entryAt(items, 4)), undefined],
  ['all entries were removed', (items) => items.filter(isHead), undefined],
  [
    'the last entry was given another number',
    (items) => items.map((item) => (item === entryAt(items, 4) ? { ...item, sk: `${item.sk}9` } : item)),
    undefined,
  ],
  ['the head was removed', (items) => items.filter((item) => !isHead(item)), undefined],
];

for (const [name, change, index] of tamperings)
  test(`the chain is broken where ${name}, and the others are whole`, async () => {
    const opened = await written();
    const items = await opened.maintenance.scan('org#acme', undefined, 100);
    const [broken, ...others] = await allChains(await tampered(opened, change));
    assert.ok(broken?.broken !== undefined);
    if (index !== undefined) assert.equal(broken.broken.sk, entryAt(items, index).sk);
    assert.deepEqual(
      others.map(({ broken }) => broken),
      [undefined, undefined, undefined],
    );
  });

test('a whole chain is none in the place of another one', async () => {
  const opened = await written();
  const foreign = await opened.maintenance.scan('org#acme-main', undefined, 100);
  const [chain] = await allChains(await tampered(opened, () => foreign));
  assert.deepEqual([chain?.count, chain?.broken?.sk], [0, entryAt(foreign, 0).sk]);
});

test('who writes all of a chain again is found by a digest that was noted before', async () => {
  const opened = await written();
  const noted = (await allChains(opened))[0]?.digest ?? '';
  await opened.store.scope('org#acme').commit([auditEntry(auditContext, { action: 'later' })]);
  const seenIn = async (store: OpenedStore): Promise<boolean> => {
    let isSeen = false;
    const chains = await allChains(store, (digest) => {
      isSeen ||= digest === noted;
    });
    assert.ok(chains.every(({ broken }) => broken === undefined));
    return isSeen;
  };
  assert.equal(await seenIn(opened), true);
  for (const gone of [0, 3, 4])
    assert.equal(
      await seenIn(await tampered(opened, (items) => rechained(items.filter((item) => item !== entryAt(items, gone))))),
      false,
    );
});

test('what is exported of an org has its digests, and nothing of another org', async () => {
  const opened = await written();
  const exported = await gather(exportedEntries(opened, 'acme'));
  assert.equal(exported.length, 15);
  assert.ok(exported.every(({ entry }) => JSON.parse(entry).action !== 'o'));
  let before = '';
  for (const { digest, entry, ...place } of exported.filter(({ scope }) => scope === 'org#acme')) {
    before = linkDigest(before, { ...place, text: entry });
    assert.equal(digest, before);
  }
  assert.equal((await gather(exportedEntries(opened, undefined))).length, 20);
});
