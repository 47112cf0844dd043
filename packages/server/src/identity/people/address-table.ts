import { emailKey, emailKeys } from '../../lib/formats/email-key.ts';
import type { Change, Put, Scope } from '../../store/port.ts';
import { asRead, type Row, type Table } from '../../store/table.ts';

/**
 * Rows by email address. Earlier releases wrote them under the spelling of the address, so each is looked for under all keys
 * that it may have, in one read: what was found by its own spelling is found so still, and no data has to be rewritten.
 */
export interface AddressTable<Value> {
  /** The row of the address, by its own spelling where there are several. */
  read(scope: Scope, email: string): Promise<Row<Value> | undefined>;
  /** In one snapshot, in the order asked for. */
  readMany(scope: Scope, emails: readonly string[]): Promise<readonly (Row<Value> | undefined)[]>;
  /** The same, with what holds a commit to no row of the address having changed. */
  readUnchanged(scope: Scope, email: string): Promise<AddressState<Value>>;
  /** The new row, and behind it what refuses the commit where there is a row under another spelling. */
  insert(email: string, value: Value): readonly [Put, ...Change[]];
  /** Refuses a commit where there is a row of the address. */
  absent(email: string): readonly Change[];
  /** By `emailKey`, or by a key of an earlier release. */
  readonly byKey: Table<string, Value>;
}

export interface AddressState<Value> {
  readonly row: Row<Value> | undefined;
  readonly unchanged: readonly Change[];
}

export function addressTable<Value>(byKey: Table<string, Value>): AddressTable<Value> {
  const isAbsent = (key: string): Change => ({ kind: 'check', ...byKey.key(key), if: 'absent' });
  const readMany = async (scope: Scope, emails: readonly string[]) => {
    const keys = emails.map(emailKeys);
    const rows = await byKey.readMany(scope, keys.flat());
    const found: (Row<Value> | undefined)[] = [];
    let at = 0;
    for (const { length } of keys) {
      found.push(rows.slice(at, at + length).find((row) => row !== undefined));
      at += length;
    }
    return found;
  };
  return {
    byKey,
    readMany,
    read: async (scope, email) => (await readMany(scope, [email]))[0],
    readUnchanged: async (scope, email) => {
      const keys = emailKeys(email);
      const rows = await byKey.readMany(scope, keys);
      return {
        row: rows.find((row) => row !== undefined),
        unchanged: keys.map((key, index) => ({ kind: 'check', ...byKey.key(key), if: asRead(rows[index]) })),
      };
    },
    insert: (email, value) => {
      const key = emailKey(email);
      const others = emailKeys(email).filter((other) => other !== key);
      return [byKey.insert(key, value), ...others.map(isAbsent)];
    },
    absent: (email) => emailKeys(email).map(isAbsent),
  };
}
