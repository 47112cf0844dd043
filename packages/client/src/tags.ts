/** Entity tags: what `ifMatch` says of the version that a change is meant for. */

/** A record as it was read, its `version`, or an entity tag. */
export type IfMatch = object | number | string;

const tags = new WeakMap<object, string>();

/** Remembers the tag that a record came with, as some views show no `version`, or another value by this name. */
export function remember(record: unknown, headers: Headers): void {
  const tag = headers.get('etag');
  if (typeof record === 'object' && record !== null && tag !== null) tags.set(record, tag);
}

/**
 * The entity tag of a record that this program has read, as `If-Match` takes it: its version, and nothing of the reply
 * that showed it. So it holds behind a proxy that compresses replies, which makes `W/"3"` or `"3-gzip"` of the tag `"3"`.
 * @throws TypeError if it has neither come with a tag nor shows its `version`.
 */
export function etagOf(record: object): string {
  const tag = tags.get(record);
  const version = versionIn(tag) ?? ('version' in record ? record.version : undefined);
  if (typeof version === 'number') return `"${version}"`;
  if (tag === undefined) throw new TypeError('the record shows no `version`, so it has no entity tag');
  return tag;
}

function versionIn(tag: string | undefined): number | undefined {
  const [, version] = /^(?:W\/)?"(\d{1,16})(?:[.-][^"]*)?"$/.exec(tag ?? '') ?? [];
  return version === undefined ? undefined : Number(version);
}

/** As the header `If-Match` takes it. */
export function ifMatchText(condition: IfMatch): string {
  if (typeof condition === 'string') return condition;
  return typeof condition === 'number' ? `"${condition}"` : etagOf(condition);
}
