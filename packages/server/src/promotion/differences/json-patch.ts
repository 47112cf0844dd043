import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../config/port.ts';
import { exactPointerTo } from '../../lib/json-pointer.ts';

/** One step of a JSON Patch (RFC 6902). */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move'; readonly from: string; readonly path: string };

/**
 * The steps that make `after` of `before`, none where they are equal; the same for the same two. Elements of an array
 * that have names, or are texts of which none stands twice, are known by these wherever they stand: what is put in front
 * does not make others look changed.
 */
export function diffJson(before: unknown, after: unknown): readonly PatchOperation[] {
  return diffAt('', before, after);
}

function diffAt(path: string, before: unknown, after: unknown): readonly PatchOperation[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) return diffArrays(path, before, after);
  if (isObject(before) && isObject(after)) return diffObjects(path, before, after);
  return [{ op: 'replace', path, value: after }];
}

type Members = Readonly<Record<string, unknown>>;

function diffObjects(path: string, before: Members, after: Members): readonly PatchOperation[] {
  const kept = Object.entries(before).flatMap(([member, value]): readonly PatchOperation[] => {
    const at = path + exactPointerTo(member);
    return Object.hasOwn(after, member) ? diffAt(at, value, after[member]) : [{ op: 'remove', path: at }];
  });
  const added = Object.entries(after).filter(([member]) => !Object.hasOwn(before, member));
  return [
    ...kept,
    ...added.map(([member, value]): PatchOperation => ({ op: 'add', path: path + exactPointerTo(member), value })),
  ];
}

type Elements = readonly unknown[];

function diffArrays(path: string, before: Elements, after: Elements): readonly PatchOperation[] {
  const was = keysOf(before);
  const is = keysOf(after);
  if (was === undefined || is === undefined) return diffInPlace(path, before, after);
  return diffByKey(path, { keys: was, elements: before }, { keys: is, elements: after });
}

/** The members that name an element of an array, the first that all of them have. */
const naming = ['id', 'name', 'indexName', 'ownerFieldName', 'issuer'];

/** What each element is known by; undefined if two elements would have the same. */
function keysOf(elements: Elements): readonly string[] | undefined {
  const keys = elements.map((element) => (typeof element === 'string' ? element : undefined));
  const member = naming.find((name) => elements.every((element) => isObject(element) && isName(element, name)));
  const named = elements.map((element) => (member === undefined ? undefined : (element as Members)[member]));
  const known = [keys, named].find((found) => found.every((key) => typeof key === 'string'));
  return known !== undefined && new Set(known).size === known.length ? (known as readonly string[]) : undefined;
}

function isName(element: Members, member: string): boolean {
  return Object.hasOwn(element, member) && typeof element[member] === 'string';
}

interface Keyed {
  readonly keys: readonly string[];
  readonly elements: Elements;
}

/** First what goes, from the end; then each place gets what belongs there; then what is left has changed within. */
function diffByKey(path: string, before: Keyed, after: Keyed): readonly PatchOperation[] {
  const operations: PatchOperation[] = [];
  const was = new Map(before.keys.map((key, index) => [key, before.elements[index]]));
  const place = new Map(after.keys.map((key, index) => [key, index]));
  const standing = before.keys.filter((key) => place.has(key));
  for (const [index, key] of [...before.keys.entries()].reverse())
    if (!place.has(key)) operations.push({ op: 'remove', path: `${path}/${index}` });
  const move = (from: number, to: number): void => {
    operations.push({ op: 'move', from: `${path}/${from}`, path: `${path}/${to}` });
    standing.splice(to, 0, ...standing.splice(from, 1));
  };
  for (const [index, key] of after.keys.entries()) {
    if (standing[index] === key) continue;
    if (!was.has(key)) {
      operations.push({ op: 'add', path: `${path}/${index}`, value: after.elements[index] });
      standing.splice(index, 0, key);
    } else if (standing[index + 1] === key) {
      // One that stood here belongs further back: that is one step, where each behind it would be another.
      move(index, Math.min(place.get(standing[index] ?? '') ?? index, standing.length - 1));
    } else move(standing.indexOf(key), index);
  }
  const changed = after.keys.flatMap((key, index) =>
    was.has(key) ? diffAt(`${path}/${index}`, was.get(key), after.elements[index]) : [],
  );
  return [...operations, ...changed];
}

/** Elements that nothing names are known by where they stand, counted from the nearer end. */
function diffInPlace(path: string, before: Elements, after: Elements): readonly PatchOperation[] {
  const shorter = Math.min(before.length, after.length);
  let front = 0;
  while (front < shorter && isDeepStrictEqual(before[front], after[front])) front += 1;
  let back = 0;
  const isAlike = (): boolean => isDeepStrictEqual(before.at(-1 - back), after.at(-1 - back));
  while (back < shorter - front && isAlike()) back += 1;
  const was = before.slice(front, before.length - back);
  const is = after.slice(front, after.length - back);
  const both = Math.min(was.length, is.length);
  const at = (index: number): string => `${path}/${front + index}`;
  return [
    ...was.slice(0, both).flatMap((element, index) => diffAt(at(index), element, is[index])),
    ...was.slice(both).map((): PatchOperation => ({ op: 'remove', path: at(both) })),
    ...is.slice(both).map((value, index): PatchOperation => ({ op: 'add', path: at(both + index), value })),
  ];
}
