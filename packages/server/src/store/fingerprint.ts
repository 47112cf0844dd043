import { createHash } from 'node:crypto';
import type { Item, Maintenance } from './port.ts';
import { walkScope } from './walk.ts';

/** What a scope holds, in few words. Two scopes of the same fingerprint hold the same items, in any two engines. */
export interface Fingerprint {
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
export function textOf({ pk, sk, version, value, target, due }: Item): string {
  const fields = [pk, sk, version, value, target?.pk ?? null, target?.sk ?? null, due?.queue ?? null, due?.at ?? null];
  return `${JSON.stringify(fields)}\n`;
}
