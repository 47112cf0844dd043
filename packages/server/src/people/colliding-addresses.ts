import { emailKey } from '../lib/formats/email-key.ts';
import { json } from '../store/table.ts';
import { passwordIdp } from './app-users/app-user.ts';

/** The partitions of rows of addresses, in the scope of the platform and in those of orgs. */
export const addressPartitions = ['org-user-email', 'identity', 'verified-email'] as const;

/** A row of one of these partitions, as it is stored. */
interface AddressRow {
  readonly scope: string;
  readonly pk: string;
  readonly sk: string;
  readonly value: string;
}

/** Accounts of one scope whose addresses are one in several spellings: earlier releases made an account of each. */
export interface CollidingAccounts {
  readonly scope: string;
  readonly ids: readonly string[];
}

export class AddressCollisions {
  /** By scope and address: the accounts under each key that rows of the address have. */
  readonly #found = new Map<string, { readonly scope: string; readonly byKey: Map<string, Set<string>> }>();

  add({ scope, pk, sk, value }: AddressRow): void {
    const key = pk === 'identity' ? passwordAddress(sk) : sk;
    // Most addresses are ASCII alone, and have one key.
    if (key === undefined || !/[^\0-\x7f]|@.*xn--/.test(key)) return;
    const id = idIn(value);
    if (id === undefined) return;
    const place = `${scope} ${emailKey(key)}`;
    const { byKey } = this.#found.get(place) ?? { byKey: new Map<string, Set<string>>() };
    byKey.set(key, (byKey.get(key) ?? new Set()).add(id));
    this.#found.set(place, { scope, byKey });
  }

  list(): readonly CollidingAccounts[] {
    return [...this.#found.values()].flatMap(({ scope, byKey }) => {
      const ids = [...new Set([...byKey.values()].flatMap((one) => [...one]))];
      return byKey.size > 1 && ids.length > 1 ? [{ scope, ids }] : [];
    });
  }
}

const passwordStart = `${passwordIdp};`;

function passwordAddress(sk: string): string | undefined {
  return sk.startsWith(passwordStart) ? decodeURIComponent(sk.slice(passwordStart.length)) : undefined;
}

const addressRow = json<{ readonly id?: string; readonly user_id?: string }>('row of an address', {});

function idIn(value: string): string | undefined {
  const { id, user_id = id } = addressRow.parse(value);
  return user_id;
}
