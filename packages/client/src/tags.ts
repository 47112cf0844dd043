/** Entity tags: what `ifMatch` says of the version that a change is meant for. */

/** A record as it was read, its `version`, or an entity tag. */
export type IfMatch = object | number | string;

const tags = new WeakMap<object, string>();

/** Remembers the tag that a record came with, as some views show no `version`. */
export function remember(record: unknown, headers: Headers): void {
  const tag = headers.get('etag');
  if (typeof record === 'object' && record !== null && tag !== null) tags.set(record, tag);
}

/**
 * The entity tag of a record that this program has read.
 * @throws TypeError if it has neither come with a tag nor shows its `version`.
 */
export function etagOf(record: object): string {
  const version = 'version' in record ? record.version : undefined;
  const tag = tags.get(record) ?? (typeof version === 'number' ? `"${version}"` : undefined);
  if (tag === undefined) throw new TypeError('the record shows no `version`, so it has no entity tag');
  return tag;
}

/** As the header `If-Match` takes it. */
export function ifMatchText(condition: IfMatch): string {
  if (typeof condition === 'string') return condition;
  return typeof condition === 'number' ? `"${condition}"` : etagOf(condition);
}
