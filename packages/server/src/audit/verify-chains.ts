import { chainHeads, linkDigest, noChain, readHead, readLink } from '../store/chain.ts';
import { itemWithoutHead } from '../store/lost-head.ts';
import type { Item, OpenedStore, Scope, ScopeName } from '../store/port.ts';
import { eachItem, eachScope } from '../store/walk.ts';
import { isAuditPartition, orgAudit } from './audit-entry.ts';

/** A chain of entries, as far as it is whole. */
export interface Chain {
  readonly scope: ScopeName;
  readonly pk: string;
  readonly count: number;
  /** Of the last entry. Who notes it elsewhere can prove later that nothing up to it was changed. */
  readonly digest: string;
  readonly broken: BrokenLink | undefined;
}

/** The first place at which a chain is not what was written. */
export interface BrokenLink {
  /** Undefined where it is the end of the chain. */
  readonly sk: string | undefined;
  readonly problem: string;
}

const pageItems = 500;

export interface ChainsToVerify {
  /** Chains that must be there, by their scopes, beside those of which something is found. */
  readonly owed: ReadonlyMap<ScopeName, readonly string[]>;
  /** Gets the digest of each unchanged entry. */
  readonly seen: (digest: string) => void;
}

/** Every chain of the store, one after the other. */
export async function* verifyChains(opened: OpenedStore, { owed, seen }: ChainsToVerify): AsyncGenerator<Chain> {
  for await (const { scope, hasHead } of scopesIn(opened)) {
    const found = await chainsOf(opened, scope);
    const pks = [...new Set([...found, ...(owed.get(scope.name) ?? [])])].sort();
    // A scope without its head must be reported, although it may never have had entries.
    if (!hasHead && pks.length === 0) pks.push(orgAudit);
    for (const pk of pks) {
      const chain = await verifyChain(scope, pk, seen);
      yield hasHead || chain.broken !== undefined ? chain : { ...chain, broken: scopeHeadGone };
    }
  }
}

const scopeHeadGone: BrokenLink = { sk: undefined, problem: 'the head row of the scope is missing' };

/** The partitions of all chains of a store. */
export async function* chainsIn(opened: OpenedStore): AsyncGenerator<{ readonly scope: Scope; readonly pk: string }> {
  for await (const { scope } of scopesIn(opened)) for (const pk of await chainsOf(opened, scope)) yield { scope, pk };
}

interface FoundScope {
  readonly scope: Scope;
  readonly hasHead: boolean;
}

async function* scopesIn({ store, maintenance }: OpenedStore): AsyncGenerator<FoundScope> {
  for await (const head of eachScope(maintenance))
    yield { scope: store.scope(head.name), hasHead: (await itemWithoutHead(maintenance, head)) === undefined };
}

/** Those that have a head and those that have entries: one without the other is a chain that was cut. */
async function chainsOf({ maintenance }: OpenedStore, scope: Scope): Promise<readonly string[]> {
  const found = new Set<string>();
  for await (const { sk } of eachItem(scope, chainHeads, pageItems)) found.add(sk);
  // Behind the last key that a partition can have begins the next one, whatever it is called.
  for (let place = { pk: orgAudit, sk: '' }; ; ) {
    const [next] = await maintenance.scan(scope.name, place, 1);
    if (next === undefined || !isAuditPartition(next.pk)) return [...found].sort();
    found.add(next.pk);
    place = { pk: next.pk, sk: '\u{10ffff}' };
  }
}

async function verifyChain(scope: Scope, pk: string, seen: (digest: string) => void): Promise<Chain> {
  let { count, digest } = noChain;
  for await (const item of entriesOf(scope, pk)) {
    const link = readLink(item);
    const expected =
      link === undefined ? '' : linkDigest(digest, { scope: scope.name, pk, sk: item.sk, text: link.text });
    if (link?.digest !== expected) {
      const problem = `the entry does not follow from the ${count} before it: it or an earlier entry was changed`;
      return { scope: scope.name, pk, count, digest, broken: { sk: item.sk, problem } };
    }
    digest = expected;
    count++;
    seen(digest);
  }
  const [head] = await scope.get([{ pk: chainHeads, sk: pk }]);
  return { scope: scope.name, pk, count, digest, broken: endOf({ count, digest }, head) };
}

function endOf(found: { readonly count: number; readonly digest: string }, item: Item | undefined) {
  const head = readHead(item?.value ?? '');
  if (head === undefined) return { sk: undefined, problem: 'the head of the chain is missing' };
  if (head.count === found.count && head.digest === found.digest) return undefined;
  return { sk: undefined, problem: `the chain ends after ${found.count} entries, but its head counts ${head.count}` };
}

/** The entries of a chain in the order in which they were written. */
export function entriesOf(scope: Scope, pk: string): AsyncGenerator<Item> {
  return eachItem(scope, pk, pageItems);
}
