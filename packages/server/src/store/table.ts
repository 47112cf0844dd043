/**
 * Rows of one kind: what is stored as JSON under keys of one form, read and written as what it is. The store sees texts
 * alone; here they become typed, once, and what is stored is trusted from then on.
 */
import type { Condition, Due, Item, Key, Put, RangeRead, Remove, Scope } from './port.ts';

/** An item whose text was read. */
export interface Row<Value> extends Key {
  readonly version: number;
  readonly due?: Due;
  readonly value: Value;
}

export interface PutOptions {
  readonly if: Condition;
  readonly due?: Due;
}

export interface Table<Place, Value> {
  key(place: Place): Key;
  /** @throws DamagedRow */
  read(scope: Scope, place: Place): Promise<Row<Value> | undefined>;
  /** In one snapshot, in the order asked for. @throws DamagedRow */
  readMany(scope: Scope, places: readonly Place[]): Promise<readonly (Row<Value> | undefined)[]>;
  /** Of a partition that holds rows of this kind alone. @throws DamagedRow */
  range(scope: Scope, pk: string, read: RangeRead): Promise<readonly Row<Value>[]>;
  /** An item of this kind that was read along with others. @throws DamagedRow */
  row(scope: Scope, item: Item): Row<Value>;
  row(scope: Scope, item: Item | undefined): Row<Value> | undefined;
  put(place: Place, value: Value, options: PutOptions): Put;
  /** Refused where there is such a row. */
  insert(place: Place, value: Value, due?: Due): Put;
  /** Refused where the row was written since it was read. What is due stays due. */
  replace(row: Row<Value>, value: Value): Put;
  remove(place: Place, condition: Condition): Remove;
}

/** The way a value is stored, and what it is called where a stored one is damaged. */
export interface Codec<Value> {
  /** The noun for a row, for a sentence with its article: `service key`. */
  readonly kind: string;
  /** @throws Error with what is wrong with the text, after `is` or `has`. */
  parse(text: string): Value;
  format(value: Value): string;
}

/** The type of a member that every row has, as `typeof` tells it; a member that may be absent or null is not looked at. */
type TypeName<Value> = [Value] extends [string]
  ? 'string'
  : [Value] extends [number]
    ? 'number'
    : [Value] extends [boolean]
      ? 'boolean'
      : [Value] extends [object]
        ? 'object'
        : never;

export type MemberTypes<Value> = { readonly [Name in keyof Value]?: TypeName<Value[Name]> };

/**
 * JSON objects. Of what is stored only the named members are looked at, and of them only the type: it is there to find
 * damage and rows of another kind, at a cost that a request does not notice.
 */
export function json<Value extends object>(kind: string, members: MemberTypes<Value>): Codec<Value> {
  const expected: readonly (readonly [string, unknown])[] = Object.entries(members);
  return {
    kind,
    parse: (text) => {
      const value: unknown = JSON.parse(text);
      if (typeof value !== 'object' || value === null) throw new Error('is not an object');
      for (const [name, type] of expected) {
        const member: unknown = (value as Readonly<Record<string, unknown>>)[name];
        if (typeof member !== type || member === null) throw new Error(`has no ${String(type)} \`${name}\``);
      }
      return value as Value;
    },
    format: (value) => JSON.stringify(value),
  };
}

/** A stored row is not what it should be. The key is not shown: keys may name persons. */
export class DamagedRow extends Error {
  override readonly name = 'DamagedRow';
}

export function table<Place, Value>(keyOf: (place: Place) => Key, codec: Codec<Value>): Table<Place, Value> {
  const read = (scope: Scope, item: Item): Row<Value> => ({ ...item, value: parseIn(scope, codec, item.value) });
  function row(scope: Scope, item: Item): Row<Value>;
  function row(scope: Scope, item: Item | undefined): Row<Value> | undefined;
  function row(scope: Scope, item: Item | undefined): Row<Value> | undefined {
    return item === undefined ? undefined : read(scope, item);
  }
  const readMany = async (scope: Scope, places: readonly Place[]): Promise<readonly (Row<Value> | undefined)[]> =>
    (await scope.get(places.map(keyOf))).map((item) => row(scope, item));
  const put = ({ pk, sk }: Key, value: Value, options: PutOptions): Put => ({
    kind: 'put',
    pk,
    sk,
    value: codec.format(value),
    ...options,
  });
  return {
    key: keyOf,
    read: async (scope, place) => (await readMany(scope, [place]))[0],
    readMany,
    range: async (scope, pk, range) => (await scope.range(pk, range)).map((item) => read(scope, item)),
    row,
    put: (place, value, options) => put(keyOf(place), value, options),
    insert: (place, value, due) => put(keyOf(place), value, { if: 'absent', ...(due && { due }) }),
    replace: (before, value) => put(before, value, { if: asRead(before), ...(before.due && { due: before.due }) }),
    remove: (place, condition) => ({ kind: 'remove', ...keyOf(place), if: condition }),
  };
}

function parseIn<Value>(scope: Scope, { kind, parse }: Codec<Value>, text: string): Value {
  try {
    return parse(text);
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? 'is no JSON' : cause instanceof Error ? cause.message : '';
    throw new DamagedRow(`a stored ${kind} of scope ${scope.name} ${reason}`, { cause });
  }
}

/** Holds a commit to an item being as it was read. */
export function asRead(read: Pick<Item, 'version'> | undefined): Condition {
  return read === undefined ? 'absent' : { version: read.version };
}

/** Takes away what was read, unless it was written since. */
export function removeAsRead({ pk, sk, version }: Key & Pick<Item, 'version'>): Remove {
  return { kind: 'remove', pk, sk, if: { version } };
}
