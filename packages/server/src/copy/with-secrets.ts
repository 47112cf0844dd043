import { platformScopeName, secretsKey } from '../identity/port.ts';
import { compareBytes } from '../lib/byte-order.ts';
import type { Item, Key, Maintenance, ScopeHead } from '../store/port.ts';

/**
 * A platform's store as if it held this item as its secrets, or none, whatever it holds itself: so a copy takes and
 * compares the target's secrets like everything else.
 */
export function withSecrets(from: Maintenance, secretsItem: () => Item | undefined): Maintenance {
  return {
    ...from,
    async scopes(after, limit) {
      const heads = await from.scopes(after, limit);
      return secretsItem() === undefined ? heads : withPlatformScope(heads, { after, limit });
    },
    async scan(scope, after, limit) {
      if (scope !== platformScopeName) return from.scan(scope, after, limit);
      for (let behind = after; ; behind = secretsKey) {
        const items = await from.scan(scope, behind, limit);
        const page = replaceSecrets(items, { after, limit, item: secretsItem() });
        // A page that held nothing but the secrets is not the end.
        if (page.length > 0 || items.length === 0) return page;
      }
    },
  };
}

interface HeadPage {
  readonly after: string | undefined;
  readonly limit: number;
}

/** A folder whose platform never had an org knows no such scope, and has secrets all the same. */
function withPlatformScope(heads: readonly ScopeHead[], { after, limit }: HeadPage): readonly ScopeHead[] {
  const last = heads.at(-1);
  const isBefore = after !== undefined && compareBytes(platformScopeName, after) <= 0;
  const isBehind = heads.length === limit && last !== undefined && compareBytes(platformScopeName, last.name) > 0;
  if (isBefore || isBehind || heads.some(({ name }) => name === platformScopeName)) return heads;
  const added: ScopeHead = { name: platformScopeName, seq: 1, state: 'open' };
  return [...heads, added].sort((left, right) => compareBytes(left.name, right.name)).slice(0, limit);
}

interface ItemPage {
  readonly after: Key | undefined;
  readonly limit: number;
  readonly item: Item | undefined;
}

function replaceSecrets(items: readonly Item[], { after, limit, item }: ItemPage): readonly Item[] {
  const others = items.filter((one) => compareKeys(one, secretsKey) !== 0);
  const last = items.at(-1);
  const isBefore = after !== undefined && compareKeys(secretsKey, after) <= 0;
  const isBehind = last !== undefined && compareKeys(secretsKey, last) > 0;
  if (item === undefined || isBefore || isBehind) return others;
  return [...others, item].sort(compareKeys).slice(0, limit);
}

function compareKeys(left: Key, right: Key): number {
  return compareBytes(left.pk, right.pk) || compareBytes(left.sk, right.sk);
}
