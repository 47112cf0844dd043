import fc from 'fast-check';
import type { Item, Maintenance, OpenedStore, ScopeHead } from '../../port.ts';
import { nastyKey, nastyText } from './text-arbitrary.ts';

/** Invariants of a store, whatever commits led to its state. */
export type StoreContents = readonly { readonly head: ScopeHead; readonly items: readonly Item[] }[];

const versionArbitrary = fc.integer({ min: 1, max: 9 });

const valueArbitrary: fc.Arbitrary<Item> = fc
  .record({
    pk: fc.oneof(fc.constantFrom('p', 'index', 'index"', 'index$', 'zone'), nastyKey()),
    sk: nastyKey(),
    version: versionArbitrary,
    value: nastyText(),
    due: fc.option(
      fc.record({ at: fc.integer({ min: -5, max: 1e15 }), queue: fc.constantFrom('expire' as const, 'work' as const) }),
      { nil: undefined },
    ),
  })
  .filter(({ pk }) => !pk.startsWith('index#'))
  // Without the null prototypes that records may be given here.
  .map(({ due, ...item }) => (due === undefined ? { ...item } : { ...item, due: { ...due } }));

const indexArbitrary: fc.Arbitrary<Item> = fc
  .tuple(nastyText(2), nastyKey(), versionArbitrary, fc.constantFrom('p', 'zone'), nastyKey())
  .map(([name, sk, version, targetPk, targetSk]) => {
    const target = { pk: targetPk, sk: targetSk };
    return { pk: `index#${name}`, sk, version, value: '', target };
  });

const headArbitrary: fc.Arbitrary<ScopeHead> = fc
  .tuple(
    nastyKey(),
    fc.integer({ min: 10, max: Number.MAX_SAFE_INTEGER }),
    fc.constantFrom('open' as const, 'open' as const, 'closed' as const),
  )
  .map(([name, seq, state]) => ({ name, seq, state }));

export const contentsArbitrary: fc.Arbitrary<StoreContents> = fc.uniqueArray(
  fc.record({
    head: headArbitrary,
    items: fc.uniqueArray(
      fc.oneof({ weight: 2, arbitrary: valueArbitrary }, { weight: 1, arbitrary: indexArbitrary }),
      {
        maxLength: 12,
        selector: ({ pk, sk }) => `${pk}\0${sk}`,
      },
    ),
  }),
  { maxLength: 4, selector: ({ head }) => head.name },
);

export async function filled({ maintenance }: OpenedStore, contents: StoreContents): Promise<Maintenance> {
  for (const { head, items } of contents) {
    const inOrder = items.toSorted((left, right) => Number('target' in left) - Number('target' in right));
    await maintenance.load(head, inOrder);
  }
  return maintenance;
}

/** All that a store holds, from every side that maintenance sees it from. */
export async function everythingOf(maintenance: Maintenance) {
  const heads = await maintenance.scopes(undefined, 10_000);
  const items = await Promise.all(heads.map(({ name }) => maintenance.scan(name, undefined, 10_000)));
  const dueOf = async (queue: 'expire' | 'work') =>
    (await maintenance.due(queue, Number.MAX_SAFE_INTEGER, 10_000)).map((due) => JSON.stringify(due)).sort();
  return { heads, items, expire: await dueOf('expire'), work: await dueOf('work') };
}
