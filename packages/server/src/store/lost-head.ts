import type { Item, Maintenance, ScopeHead } from './port.ts';

/** The first item of a scope whose head is gone; undefined where it has its head, or nothing to lose. */
export async function itemWithoutHead(
  maintenance: Pick<Maintenance, 'scan'>,
  { name, seq, state }: ScopeHead,
): Promise<Item | undefined> {
  if (seq !== 0 || state === 'closed') return undefined;
  return (await maintenance.scan(name, undefined, 1))[0];
}
