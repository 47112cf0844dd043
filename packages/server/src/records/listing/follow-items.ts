import type { Item, RangeRead, Scope } from '../../store/port.ts';

/** The items behind an index, with their keys and their places in it, for callers that change them. */
export async function followItems(
  scope: Scope,
  indexPk: string,
  read: RangeRead,
): Promise<readonly { readonly sk: string; readonly item: Item }[]> {
  const entries = await scope.range(indexPk, read);
  const targets = entries.flatMap(({ sk, target }) => (target === undefined ? [] : [{ sk, target }]));
  const items = targets.length === 0 ? [] : await scope.get(targets.map(({ target }) => target));
  return targets.flatMap(({ sk }, index) => {
    const item = items[index];
    return item === undefined ? [] : [{ sk, item }];
  });
}
