import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Item, Key, Maintenance, Scope, ScopeHead, ScopeName } from './port.ts';

/** The progress of a walk: behind a place, or at the beginning. Another process may go on from a stored one. */
export interface Cursor<Place> {
  after: Place | undefined;
}

/**
 * The entries behind a cursor, page after page, until a page is empty. Other work of the process is done between two
 * pages. The cursor is moved behind a page before the caller gets the page. A caller that is not done with the page
 * moves the cursor back, and reads the rest again.
 */
export async function* walk<Found, Place>(
  cursor: Cursor<Place>,
  read: (after: Place | undefined) => Promise<readonly Found[]>,
  placeOf: (found: Found) => Place,
): AsyncGenerator<readonly Found[]> {
  for (;;) {
    const page = await read(cursor.after);
    const last = page.at(-1);
    if (last === undefined) return;
    cursor.after = placeOf(last);
    yield page;
    await nextTurn();
  }
}

/** Everything that a scope holds, index items and expired items included, in the order of the keys. */
export function walkScope(
  maintenance: Pick<Maintenance, 'scan'>,
  { name, after }: { readonly name: string; readonly after?: Key | undefined },
  itemsPerRead = 1024,
): AsyncGenerator<readonly Item[]> {
  const read = (place: Key | undefined) => maintenance.scan(name, place, itemsPerRead);
  return walk({ after }, read, (item): Key => item);
}

/** The scopes of a store by name. */
export async function* eachScope(maintenance: Pick<Maintenance, 'scopes'>): AsyncGenerator<ScopeHead> {
  const read = (after: ScopeName | undefined) => maintenance.scopes(after, 1024);
  for await (const heads of walk({ after: undefined }, read, ({ name }) => name)) yield* heads;
}

/** The items of a partition in their order, as many of which are read in one snapshot as `itemsPerRead` says. */
export async function* eachItem(scope: Scope, pk: string, itemsPerRead: number): AsyncGenerator<Item> {
  const read = (after: string | undefined) =>
    scope.range(pk, { ...(after === undefined ? {} : { after }), limit: itemsPerRead });
  for await (const items of walk({ after: undefined }, read, ({ sk }) => sk)) {
    yield* items;
    if (items.length < itemsPerRead) return;
  }
}

/** The first item of a scope whose head is gone; undefined where it has its head, or nothing to lose. */
export async function itemWithoutHead(
  maintenance: Pick<Maintenance, 'scan'>,
  { name, seq, state }: ScopeHead,
): Promise<Item | undefined> {
  if (seq !== 0 || state === 'closed') return undefined;
  return (await maintenance.scan(name, undefined, 1))[0];
}
