import { fingerprintScope, textOf } from './fingerprint.ts';
import { itemWithoutHead } from './lost-head.ts';
import { type Item, isIndexPartition, type Key, type Maintenance, type ScopeHead } from './port.ts';
import { eachScope, walkScope } from './walk.ts';

/** Two stores of the same data space, without writes to either of them meanwhile. */
export interface CopySides {
  readonly space: string;
  readonly from: Maintenance;
  readonly to: Maintenance;
}

export interface Copied {
  readonly space: string;
  readonly scopes: number;
  readonly items: number;
  /** How many were written in this run; the others were there, from one that was cut off. */
  readonly written: number;
  /** Everything was there and open before: this run has written nothing. */
  readonly wasComplete: boolean;
}

/** What is done between the steps of a copy. */
export interface CopySteps {
  /** When every target is known to be empty or an earlier run's, and before one is written to. */
  readonly begun?: () => Promise<void>;
  /** When everything is there and has been compared, and before a scope is opened. */
  readonly compared?: () => Promise<void>;
}

/** The copy cannot be begun, or what came of it is not the source. A sentence for the operator. */
export class CopyRefused extends Error {
  override readonly name = 'CopyRefused';
}

/**
 * Copies stores as they are: items with their versions and dues, scopes with their numbers. Until everything is there
 * and has been compared, the scopes of the target are closed, from those of the last store on, and opened in the order
 * of the stores: with the store that a platform begins with as the last one, none works on half a copy. What a run that
 * was cut off has left is compared and kept, so the next one goes on there.
 */
export async function copyStores(stores: readonly CopySides[], steps: CopySteps = {}): Promise<readonly Copied[]> {
  const begun: Begun[] = [];
  // All are judged before the first is written to.
  for (const sides of stores) begun.push({ sides, ...(await judge(sides)) });
  await steps.begun?.();
  for (const { sides, missing } of begun.toReversed())
    for (const { name } of missing) await sides.to.load(unfinished(name), []);
  const copied: Copied[] = [];
  for (const one of begun) copied.push(await copyItems(one));
  for (const { sides, heads } of begun) await assertUnmoved(sides, heads);
  await steps.compared?.();
  for (const { sides, heads, opened } of begun)
    for (const head of heads) if (!opened.has(head.name)) await sides.to.load(head, []);
  return copied;
}

interface Judged {
  readonly heads: readonly ScopeHead[];
  /** Those of which the target knows nothing yet. */
  readonly missing: readonly ScopeHead[];
  /** Those that an earlier run has opened, which it did when all was there. Nothing is written to them any more. */
  readonly opened: ReadonlySet<string>;
}

interface Begun extends Judged {
  readonly sides: CopySides;
}

/** The head of a scope whose items are not all there: a number that no scope with items has. */
function unfinished(name: string): ScopeHead {
  return { name, seq: 0, state: 'closed' };
}

/** A target is empty, or what an earlier run left: scopes of the source alone, unfinished or with its numbers. */
async function judge({ space, from, to }: CopySides): Promise<Judged> {
  const heads = await allScopes(from);
  for (const head of heads)
    if ((await itemWithoutHead(from, head)) !== undefined)
      throw new CopyRefused(
        `the source has lost the head row of the scope ${JSON.stringify(head.name)} in \`${space}\`: restore a backup`,
      );
  if (heads.some(({ seq }) => seq === 0))
    throw new CopyRefused(`the source is a copy that was cut off: \`${space}\` is not whole`);
  const known = new Map((await allScopes(to)).map((head) => [head.name, head]));
  for (const { name, seq } of heads) {
    const found = known.get(name);
    if (found !== undefined && found.seq !== 0 && found.seq !== seq) throw notOurs(space);
  }
  const missing = heads.filter(({ name }) => !known.has(name));
  if (known.size > heads.length - missing.length) throw notOurs(space);
  const opened = heads.filter(({ name, seq }) => known.get(name)?.seq === seq);
  return { heads, missing, opened: new Set(opened.map(({ name }) => name)) };
}

function notOurs(space: string): CopyRefused {
  return new CopyRefused(`the target holds something else in \`${space}\`: copy into an empty store`);
}

async function copyItems({ sides, heads, opened }: Begun): Promise<Copied> {
  const { space, from, to } = sides;
  let items = 0;
  let written = 0;
  for (const { name } of heads) {
    if (!opened.has(name)) written += await copyScope(sides, name);
    const [expected, found] = [await fingerprintScope(from, name), await fingerprintScope(to, name)];
    if (expected.items !== found.items || expected.sha256 !== found.sha256)
      throw new CopyRefused(
        `the target holds other items than the source in \`${space}\`, scope ${JSON.stringify(name)} ` +
          `(${found.items} against ${expected.items}): empty it, and copy again`,
      );
    items += expected.items;
  }
  return { space, scopes: heads.length, items, written, wasComplete: opened.size === heads.length };
}

async function copyScope({ from, to }: CopySides, scope: string): Promise<number> {
  let written = 0;
  for (const part of parts) {
    let after = part.from;
    let isNothingThere = false;
    for await (const page of walkScope(from, { name: scope, after })) {
      const wanted = page.filter(part.holds);
      const found: readonly Item[] = isNothingThere ? [] : await to.scan(scope, after, wanted.length);
      // Then nothing comes behind it either.
      isNothingThere = found.length === 0;
      if (!isSame(wanted, found)) {
        for (const batch of batchesOf(wanted)) await to.load(unfinished(scope), batch);
        written += wanted.length;
      }
      if (wanted.length < page.length) break;
      after = page.at(-1);
    }
  }
  return written;
}

interface Part {
  /** Where it begins: behind this place. */
  readonly from: Key | undefined;
  readonly holds: (item: Item) => boolean;
}

/** Partitions before, behind and of the indexes, in the order of keys: an index item comes after its target. */
const parts: readonly Part[] = [
  { from: undefined, holds: ({ pk }) => pk < 'index#' },
  { from: { pk: 'index$', sk: '' }, holds: () => true },
  { from: { pk: 'index#', sk: '' }, holds: ({ pk }) => isIndexPartition(pk) },
];

function isSame(wanted: readonly Item[], found: readonly Item[]): boolean {
  return found.length === wanted.length && wanted.every((item, index) => isSameItem(item, found[index]));
}

function isSameItem(item: Item, other: Item | undefined): boolean {
  return other !== undefined && textOf(item) === textOf(other);
}

const batchUnitsMax = 2 * 1024 * 1024;

/** In pieces that the target takes as one transaction each. */
function* batchesOf(items: readonly Item[]): Generator<readonly Item[]> {
  let batch: Item[] = [];
  let units = 0;
  for (const item of items) {
    batch.push(item);
    units += item.value.length;
    if (units < batchUnitsMax) continue;
    yield batch;
    batch = [];
    units = 0;
  }
  if (batch.length > 0) yield batch;
}

/** No lock keeps nodes from a source on PostgreSQL, but none of them writes without its scope's number growing. */
async function assertUnmoved({ space, from }: CopySides, heads: readonly ScopeHead[]): Promise<void> {
  const now = await allScopes(from);
  if (JSON.stringify(now) === JSON.stringify(heads)) return;
  throw new CopyRefused(`the source was written to meanwhile in \`${space}\`: stop every node, and copy again`);
}

async function allScopes(maintenance: Maintenance): Promise<readonly ScopeHead[]> {
  const heads: ScopeHead[] = [];
  for await (const head of eachScope(maintenance)) heads.push(head);
  return heads;
}
