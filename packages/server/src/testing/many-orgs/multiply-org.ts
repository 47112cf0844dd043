/**
 * Makes many orgs of one, in the data folder of a platform that has ended: `node multiply-org.ts FOLDER ORG COUNT`. Each
 * has the rows that the platform wrote for the pattern, with a code of its own in the place of the pattern's. Only
 * accounts of builders are not multiplied, and the chains of audit logs hold for the pattern alone.
 */
import { openSpace } from '../../composition/open-spaces.ts';
import { systemClock } from '../../lib/clock.ts';
import { platformScopeName } from '../../people/port.ts';
import type { Item, Key, Maintenance, ScopeHead } from '../../store/port.ts';
import { eachScope, walkScope } from '../../store/walk.ts';
import { orgScopeName } from '../../tenancy/port.ts';

interface StoredScope {
  readonly head: ScopeHead;
  readonly items: readonly Item[];
}

const orgsAtOnce = 50;

async function main([folder = '', code = '', count = '']: readonly string[]): Promise<void> {
  for (const space of ['platform', 'test', 'prod'] as const) {
    const { store, maintenance } = await openSpace(
      space,
      { kind: 'sqlite', folder },
      {
        clock: systemClock,
        onFatal: (error) => {
          throw error;
        },
      },
    );
    await multiply(maintenance, code, Number(count));
    await store.close();
  }
}

async function multiply(maintenance: Maintenance, code: string, count: number): Promise<void> {
  const pattern = await scopesOf(maintenance, code);
  for (let from = 0; from < count; from += orgsAtOnce) {
    const numbers = Array.from({ length: Math.min(orgsAtOnce, count - from) }, (_, index) => from + index);
    const copies = numbers.flatMap((nr) => pattern.map((scope) => renamed(scope, code, codeOf(code, nr))));
    const shared = copies.filter(({ head }) => head.name === platformScopeName);
    const [first] = shared;
    // All of them are in one scope there.
    if (first !== undefined)
      await maintenance.load(
        first.head,
        shared.flatMap(({ items }) => items),
      );
    const own = copies.filter(({ head }) => head.name !== platformScopeName);
    await Promise.all(own.map(({ head, items }) => maintenance.load(head, items)));
  }
}

/** As long as the pattern's. */
function codeOf(pattern: string, nr: number): string {
  return `z${nr.toString(36).padStart(pattern.length - 1, '0')}`;
}

async function scopesOf(maintenance: Maintenance, code: string): Promise<readonly StoredScope[]> {
  const found: StoredScope[] = [];
  for await (const head of eachScope(maintenance)) {
    const isShared = head.name === platformScopeName;
    if (!isShared && !head.name.startsWith(orgScopeName(code))) continue;
    const items: Item[] = [];
    for await (const page of walkScope(maintenance, { name: head.name }))
      items.push(...page.filter((item) => !isShared || isOfOrg(item, code)));
    // Items come before the index items that lead to them.
    found.push({
      head,
      items: items.toSorted((left, right) => Number(left.target !== undefined) - Number(right.target !== undefined)),
    });
  }
  return found;
}

/** Not what says of a builder in which orgs it is. */
function isOfOrg({ pk, sk }: Key, code: string): boolean {
  return `${pk} ${sk}`.includes(code) && !pk.startsWith('org-membership;') && pk !== 'audit' && pk !== 'work';
}

function renamed({ head, items }: StoredScope, from: string, to: string): StoredScope {
  const other = (text: string): string => text.replaceAll(from, to);
  const keyOf = ({ pk, sk }: Key): Key => ({ pk: other(pk), sk: other(sk) });
  return {
    head: { ...head, name: other(head.name) },
    items: items.map((item) => ({
      ...item,
      ...keyOf(item),
      value: other(item.value),
      ...(item.target === undefined ? {} : { target: keyOf(item.target) }),
    })),
  };
}

await main(process.argv.slice(2));
