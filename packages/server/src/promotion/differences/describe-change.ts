/** Sentences about what differs between two contents. A difference that has no words of its own has general ones. */
import { isDeepStrictEqual } from 'node:util';
import { exactPointerTo } from '../../lib/json-pointer.ts';
import { isObject } from '../../lib/unknown-names.ts';

type Members = Readonly<Record<string, unknown>>;

/** A sentence for each member that differs, but for those that others tell of. `of` begins them, such as "step `a`: ". */
export function describeMembers(
  of: string,
  { before, after }: { readonly before: object; readonly after: object },
  described: readonly string[] = [],
): readonly string[] {
  const was = before as Members;
  const is = after as Members;
  const members = new Set([...Object.keys(was), ...Object.keys(is)]);
  return [...members]
    .filter((member) => !described.includes(member) && !isDeepStrictEqual(own(was, member), own(is, member)))
    .map((member) => `${of}\`${member}\` ${changeOf(own(was, member), own(is, member))}`);
}

function own(members: Members, member: string): unknown {
  return Object.hasOwn(members, member) ? members[member] : undefined;
}

function changeOf(before: unknown, after: unknown): string {
  if (before === undefined) return `is ${shown(after)} now, and was not said before`;
  if (after === undefined) return `is not said any more; it was ${shown(before)}`;
  return `is ${shown(after)} now, and was ${shown(before)}`;
}

const charactersMax = 60;

/** A value in a sentence: short ones as they are, of others what they are. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  if (text.length <= charactersMax) return `\`${text}\``;
  if (typeof value === 'string')
    return `\`${JSON.stringify(value.slice(0, charactersMax / 2))}\`… (${value.length} characters)`;
  return Array.isArray(value) ? `a list of ${value.length}` : `an object of ${text.length} characters`;
}

interface ElementList<Element extends object> {
  /** The noun for an element, such as "step". */
  readonly what: string;
  readonly nameOf: (element: Element) => string;
  /** The identity of an element; its name where it is left out. */
  readonly keyOf?: (element: Element) => string;
  readonly before: readonly Element[] | undefined;
  readonly after: readonly Element[] | undefined;
  /** The description of an added element, after its name. */
  readonly added?: (element: Element) => string;
  /** The outcome of an element that is not there any more, after its name. */
  readonly removed?: (element: Element) => string;
  readonly changed?: (before: Element, after: Element) => readonly string[];
}

/** Sentences about a list of elements with names: which are new, which are gone, which have changed, and their order. */
export function describeList<Element extends object>(list: ElementList<Element>): readonly string[] {
  const { what, nameOf, added = () => 'is new', removed = () => 'is taken out' } = list;
  const { before = [], after = [], keyOf = nameOf } = list;
  const label = (element: Element): string => `${what} \`${nameOf(element)}\``;
  const changed = list.changed ?? ((was, is) => describeMembers(`${label(is)}: `, { before: was, after: is }));
  const old = new Map(before.map((element) => [keyOf(element), element]));
  const keys = new Set(after.map(keyOf));
  const sentences = [
    ...after.flatMap((element) => {
      const was = old.get(keyOf(element));
      return was === undefined ? [`${label(element)} ${added(element)}`] : changed(was, element);
    }),
    ...before.filter((element) => !keys.has(keyOf(element))).map((element) => `${label(element)} ${removed(element)}`),
  ];
  const kept = before.map(keyOf).filter((key) => keys.has(key));
  const isReordered = !isDeepStrictEqual(
    kept,
    after.map(keyOf).filter((key) => old.has(key)),
  );
  return isReordered ? [...sentences, `each ${what} stands in another order`] : sentences;
}

/** Whether a sentence says that something is taken out. Names and values in it say nothing of that. */
export function isLoss(sentence: string): boolean {
  return sentence.replaceAll(/`[^`]*`|“[^”]*”/g, '').includes('is taken out');
}

/** Names in a sentence. */
export function listed(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

/** The steps of a patch, where nothing else is known of what differs. */
export function describePatch(patch: readonly PatchOperation[]): readonly string[] {
  return patch.map(stepSentence);
}

function stepSentence(operation: PatchOperation): string {
  switch (operation.op) {
    case 'add':
    case 'replace':
      return `\`${operation.path}\` is ${shown(operation.value)} now`;
    case 'remove':
      return `\`${operation.path}\` is taken out`;
    case 'move':
      return `\`${operation.from}\` stands at \`${operation.path}\` now`;
  }
}

/** One step of a JSON Patch (RFC 6902). */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move'; readonly from: string; readonly path: string };

/**
 * The steps that make `after` of `before`, none where they are equal; the same for the same two. Elements of an array
 * that have names, or are texts of which none is there twice, are known by these in any place: an element put in front
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

/** The key of each element; undefined if two elements would have the same. */
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
  const current = before.keys.filter((key) => place.has(key));
  for (const [index, key] of [...before.keys.entries()].reverse())
    if (!place.has(key)) operations.push({ op: 'remove', path: `${path}/${index}` });
  const move = (from: number, to: number): void => {
    operations.push({ op: 'move', from: `${path}/${from}`, path: `${path}/${to}` });
    current.splice(to, 0, ...current.splice(from, 1));
  };
  for (const [index, key] of after.keys.entries()) {
    if (current[index] === key) continue;
    if (!was.has(key)) {
      operations.push({ op: 'add', path: `${path}/${index}`, value: after.elements[index] });
      current.splice(index, 0, key);
    } else if (current[index + 1] === key) {
      // An element that was here belongs further back: that is one step, where each behind it would be another.
      move(index, Math.min(place.get(current[index] ?? '') ?? index, current.length - 1));
    } else move(current.indexOf(key), index);
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
