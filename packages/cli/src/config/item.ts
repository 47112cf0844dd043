/** An item of a configuration. Kinds that this program does not know are kept as they are. */
export interface Item {
  readonly kind: string;
  readonly name: string;
  readonly content: unknown;
}

export type ItemName = Pick<Item, 'kind' | 'name'>;

export function itemKey({ kind, name }: ItemName): string {
  return `${kind}/${name}`;
}

const kindPattern = /^[a-z][a-z0-9_-]{0,62}$/;
const namePattern = /^[a-z0-9_][a-z0-9._-]{0,199}$/;

/**
 * Whether both are names of a folder and a file on every system: lower case, so that no two of them are one file, without
 * a path, a backslash, a hidden file, or a character that looks like another.
 */
export function isItemName({ kind, name }: ItemName): boolean {
  return kindPattern.test(kind) && namePattern.test(name) && !name.endsWith('.');
}
