import { createHash } from 'node:crypto';
import { compareBytes } from '../lib/byte-order.ts';
import { type Item, isIndexPartition, type Key, type Maintenance, type ScopeHead } from './port.ts';
import { eachScope, itemWithoutHead, walkScope } from './walk.ts';

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
  /** The number that were written in this run; the others were there, from a run that was cut off. */
  readonly written: number;
  /** Everything was there and open before: this run has written nothing. */
  readonly wasComplete: boolean;
}

/** The actions between the steps of a copy. */
interface CopySteps {
  /** Called once every target is known to be empty or an earlier run's, and before one is written to. */
  readonly started?: () => Promise<void>;
  /** Called once everything is there and has been compared, and before a scope is opened. */
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
  const started: StartedCopy[] = [];
  // All are judged before the first is written to.
  for (const sides of stores) started.push(await judge(sides));
  await steps.started?.();
  for (const one of started.toReversed()) await close(one);
  const copied: Copied[] = [];
  for (const one of started) copied.push(await copyItems(one));
  for (const one of started) await assertUnmoved(one);
  await steps.compared?.();
  for (const { sides } of started)
    for await (const { head, found } of pairedHeads(sides))
      if (head !== undefined && !isOpened(head, found)) await sides.to.load(head, []);
  return copied;
}

interface StartedCopy {
  readonly sides: CopySides;
  /** Over the heads of the source, in their order: they are as many as there are workspaces, and are not kept. */
  readonly sha256: string;
}

/** The scope was opened by an earlier run, which it did when all was there. Nothing is written to it any more. */
function isOpened(head: ScopeHead, found: ScopeHead | undefined): boolean {
  return found?.seq === head.seq;
}

/** A scope of the source, of the target, or of both. */
interface PairedHeads {
  readonly head: ScopeHead | undefined;
  readonly found: ScopeHead | undefined;
}

/** In the order of the names. The caller may write to the scope that it was given. */
async function* pairedHeads({ from, to }: CopySides): AsyncGenerator<PairedHeads> {
  const [heads, known] = [eachScope(from), eachScope(to)];
  const next = async (walk: AsyncGenerator<ScopeHead>) => (await walk.next()).value as ScopeHead | undefined;
  let [head, found] = [await next(heads), await next(known)];
  while (head !== undefined || found !== undefined) {
    const order = head === undefined ? 1 : found === undefined ? -1 : compareBytes(head.name, found.name);
    yield { head: order <= 0 ? head : undefined, found: order >= 0 ? found : undefined };
    if (order <= 0) head = await next(heads);
    if (order >= 0) found = await next(known);
  }
}

/** The head of a scope whose items are not all there: a number that no scope with items has. */
function unfinished(name: string): ScopeHead {
  return { name, seq: 0, state: 'closed' };
}

/** Whether a copy into this store was cut off before it held everything: its first scope is the first to be opened. */
export async function isUnfinishedCopy(store: Maintenance): Promise<boolean> {
  const [first] = await store.scopes(undefined, 1);
  return first?.seq === 0 && first.state === 'closed';
}

/** A target is empty, or what an earlier run left: scopes of the source alone, unfinished or with its numbers. */
async function judge(sides: CopySides): Promise<StartedCopy> {
  const { space, from } = sides;
  const hash = createHash('sha256');
  for await (const { head, found } of pairedHeads(sides)) {
    if (head === undefined) throw notOurs(space);
    hash.update(JSON.stringify(head));
    if ((await itemWithoutHead(from, head)) !== undefined)
      throw new CopyRefused(
        `the source has lost the head row of the scope ${JSON.stringify(head.name)} in \`${space}\`: restore a backup`,
      );
    if (head.seq === 0) throw new CopyRefused(`the source is a copy that was cut off: \`${space}\` is not whole`);
    if (found !== undefined && found.seq !== 0 && found.seq !== head.seq) throw notOurs(space);
  }
  return { sides, sha256: hash.digest('hex') };
}

function notOurs(space: string): CopyRefused {
  return new CopyRefused(`the target holds something else in \`${space}\`: copy into an empty store`);
}

/** Takes the names of the source that the target has not, so that no platform starts on it. */
async function close(started: StartedCopy): Promise<void> {
  const { sides } = started;
  for await (const { head, found } of pairedHeads(sides))
    if (head !== undefined && found === undefined) await sides.to.load(unfinished(head.name), []);
  await assertUnmoved(started);
}

async function copyItems({ sides }: StartedCopy): Promise<Copied> {
  const { space, from, to } = sides;
  let [scopes, opened, items, written] = [0, 0, 0, 0];
  for await (const { head, found: place } of pairedHeads(sides)) {
    if (head === undefined) throw notOurs(space);
    if (place === undefined) throw moved(space);
    const { name } = head;
    if (isOpened(head, place)) opened += 1;
    else written += await copyScope(sides, name);
    const [expected, found] = [await fingerprintScope(from, name), await fingerprintScope(to, name)];
    if (expected.items !== found.items || expected.sha256 !== found.sha256)
      throw new CopyRefused(
        `the target holds other items than the source in \`${space}\`, scope ${JSON.stringify(name)} ` +
          `(${found.items} against ${expected.items}): empty it, and copy again`,
      );
    scopes += 1;
    items += expected.items;
  }
  return { space, scopes, items, written, wasComplete: opened === scopes };
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

interface CopyPart {
  /** Starts behind this key. */
  readonly from: Key | undefined;
  readonly holds: (item: Item) => boolean;
}

/** Partitions before, behind and of the indexes, in the order of keys: an index item comes after its target. */
const parts: readonly CopyPart[] = [
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
async function assertUnmoved({ sides: { space, from }, sha256 }: StartedCopy): Promise<void> {
  const hash = createHash('sha256');
  for await (const head of eachScope(from)) hash.update(JSON.stringify(head));
  if (hash.digest('hex') === sha256) return;
  throw moved(space);
}

function moved(space: string): CopyRefused {
  return new CopyRefused(`the source was written to meanwhile in \`${space}\`: stop every node, and copy again`);
}

/** A digest of a scope's items. Two scopes of the same fingerprint hold the same items, in any two engines. */
interface Fingerprint {
  readonly items: number;
  readonly sha256: string;
}

/** Over every item as it is stored, expired ones and index items included, in the order of their keys. */
export async function fingerprintScope(maintenance: Maintenance, scope: string): Promise<Fingerprint> {
  const hash = createHash('sha256');
  let items = 0;
  for await (const page of walkScope(maintenance, { name: scope })) {
    for (const item of page) hash.update(textOf(item));
    items += page.length;
  }
  return { items, sha256: hash.digest('hex') };
}

/** The one text of an item, whichever engine it comes from. */
function textOf({ pk, sk, version, value, target, due }: Item): string {
  const fields = [pk, sk, version, value, target?.pk ?? null, target?.sk ?? null, due?.queue ?? null, due?.at ?? null];
  return `${JSON.stringify(fields)}\n`;
}
