import type { Item, RangeRead, Scope } from '../../store/port.ts';

export interface FollowedItem {
  /** The place in the index. */
  readonly sk: string;
  readonly item: Item;
}

/** The items behind an index, with their keys and their places in it, for callers that change them. */
export async function followItems(scope: Scope, indexPk: string, read: RangeRead): Promise<readonly FollowedItem[]> {
  const entries = await scope.range(indexPk, read);
  const targets = entries.flatMap(({ sk, target }) => (target === undefined ? [] : [{ sk, target }]));
  const items = targets.length === 0 ? [] : await scope.get(targets.map(({ target }) => target));
  return targets.flatMap(({ sk }, index) => {
    const item = items[index];
    return item === undefined ? [] : [{ sk, item }];
  });
}

const pageBytesMax = 2 * 1024 * 1024;

/**
 * All items behind an index in pages of bounded size, for items of any size. One that moves to another key meanwhile may
 * come with its new key and its old version: a commit that checks both is refused.
 */
export async function* followInPages(
  scope: Scope,
  indexPk: string,
  read: Omit<RangeRead, 'bytesMax'>,
): AsyncGenerator<readonly FollowedItem[]> {
  for (let from = read; ; ) {
    const followed = await scope.follow(indexPk, { ...from, bytesMax: pageBytesMax });
    const last = followed.at(-1);
    if (last === undefined) return;
    const entries = await scope.range(indexPk, { ...from, limit: followed.length });
    const targets = new Map(entries.map(({ sk, target }) => [sk, target]));
    yield followed.flatMap(({ sk, value, version }) => {
      const target = targets.get(sk);
      return target === undefined ? [] : [{ sk, item: { ...target, value, version } }];
    });
    from = { ...from, after: last.sk };
  }
}
