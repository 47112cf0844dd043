import type { Item, Scope } from './port.ts';

/** The items of a partition in their order, as many of which are read in one snapshot as `itemsPerRead` says. */
export async function* eachItem(scope: Scope, pk: string, itemsPerRead: number): AsyncGenerator<Item> {
  for (let after: string | undefined; ; ) {
    const items = await scope.range(pk, { ...(after === undefined ? {} : { after }), limit: itemsPerRead });
    yield* items;
    if (items.length < itemsPerRead) return;
    after = items.at(-1)?.sk;
  }
}
