import { createHash } from 'node:crypto';
import type { Item, Key, Maintenance, ScopeHead } from './port.ts';

/** What a scope holds, in few words. Two scopes of the same fingerprint hold the same items, in any two engines. */
export interface Fingerprint {
  readonly items: number;
  readonly sha256: string;
}

const pageItems = 1024;

/** Over every item as it is stored, expired ones and index items included, in the order of their keys. */
export async function fingerprintScope(maintenance: Maintenance, scope: string): Promise<Fingerprint> {
  const hash = createHash('sha256');
  let items = 0;
  for await (const page of pagesOf(maintenance, scope)) {
    for (const item of page) hash.update(textOf(item));
    items += page.length;
  }
  return { items, sha256: hash.digest('hex') };
}

/** The one text of an item, whichever engine it comes from. */
export function textOf({ pk, sk, version, value, target, due }: Item): string {
  const fields = [pk, sk, version, value, target?.pk ?? null, target?.sk ?? null, due?.queue ?? null, due?.at ?? null];
  return `${JSON.stringify(fields)}\n`;
}

export async function* pagesOf(maintenance: Maintenance, scope: string, from?: Key): AsyncGenerator<readonly Item[]> {
  let after = from;
  for (;;) {
    const page = await maintenance.scan(scope, after, pageItems);
    if (page.length === 0) return;
    yield page;
    after = page.at(-1);
  }
}

export async function allScopes(maintenance: Maintenance): Promise<readonly ScopeHead[]> {
  const heads: ScopeHead[] = [];
  for (;;) {
    const page = await maintenance.scopes(heads.at(-1)?.name, pageItems);
    heads.push(...page);
    if (page.length < pageItems) return heads;
  }
}
