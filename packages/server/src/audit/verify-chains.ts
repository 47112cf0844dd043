import { type ChainHead, chainHeads, nextLink, noChain, readChainHead, readLink } from '../store/chain.ts';
import type { Item, OpenedStore, Scope, ScopeName } from '../store/port.ts';
import { eachItem, eachScope, itemWithoutHead } from '../store/walk.ts';
import { isAuditPartition, orgAudit, platformAudit } from './audit-entry.ts';

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
interface BrokenLink {
  /** Undefined where it is the end of the chain. */
  readonly sk: string | undefined;
  readonly problem: string;
}

const pageItems = 500;

interface ChainsToVerify {
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
async function* chainsIn(opened: OpenedStore): AsyncGenerator<{ readonly scope: Scope; readonly pk: string }> {
  for await (const { scope } of scopesIn(opened)) for (const pk of await chainsOf(opened, scope)) yield { scope, pk };
}

async function* scopesIn({
  store,
  maintenance,
}: OpenedStore): AsyncGenerator<{ readonly scope: Scope; readonly hasHead: boolean }> {
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
  let found = noChain;
  for await (const item of entriesOf(scope, pk)) {
    const next = nextLink(found, scope.name, item);
    if (next === undefined) {
      const problem = `the entry does not follow from the ${found.count} before it: it or an earlier entry was changed`;
      return { scope: scope.name, pk, ...found, broken: { sk: item.sk, problem } };
    }
    found = next;
    seen(next.digest);
  }
  return { scope: scope.name, pk, ...found, broken: endOf(found, await readChainHead(scope, pk)) };
}

function endOf(found: ChainHead, head: ChainHead | undefined): BrokenLink | undefined {
  if (head === undefined) return { sk: undefined, problem: 'the head of the chain is missing' };
  if (head.count === found.count && head.digest === found.digest) return undefined;
  return { sk: undefined, problem: `the chain ends after ${found.count} entries, but its head counts ${head.count}` };
}

/** The entries of a chain in the order in which they were written. */
function entriesOf(scope: Scope, pk: string): AsyncGenerator<Item> {
  return eachItem(scope, pk, pageItems);
}

/** An entry with its place, so that its digest can be recomputed from the lines of its chain. */
interface ExportedEntry {
  readonly scope: ScopeName;
  readonly pk: string;
  readonly sk: string;
  readonly digest: string;
  /** As it was written; a text of JSON. */
  readonly entry: string;
}

/** The entries of a store, chain by chain, in the order in which they were written: all, or those about one org. */
export async function* exportedEntries(
  opened: OpenedStore,
  orgCode: string | undefined,
): AsyncGenerator<ExportedEntry> {
  for await (const { scope, pk } of chainsIn(opened)) {
    if (orgCode !== undefined && !isOfOrg(orgCode, scope.name, pk)) continue;
    for await (const item of entriesOf(scope, pk)) {
      const { digest, text } = readLink(item) ?? { digest: '', text: item.value };
      yield { scope: scope.name, pk, sk: item.sk, digest, entry: text };
    }
  }
}

/** A code of an org has no hyphen, so the text behind a hyphen is a workspace of the org. */
function isOfOrg(orgCode: string, scope: ScopeName, pk: string): boolean {
  if (pk !== orgAudit) return pk === platformAudit(orgCode);
  return scope === `org#${orgCode}` || scope.startsWith(`org#${orgCode}-`);
}
