/** Sentences about what differs between two contents. A difference that has no words of its own has general ones. */
import { isDeepStrictEqual } from 'node:util';
import type { PatchOperation } from './json-patch.ts';

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

export interface NamedList<Element extends object> {
  /** What an element is called, such as "step". */
  readonly what: string;
  readonly nameOf: (element: Element) => string;
  /** What makes two elements the same one; its name where it is left out. */
  readonly keyOf?: (element: Element) => string;
  readonly before: readonly Element[] | undefined;
  readonly after: readonly Element[] | undefined;
  /** What an element is that was not there, after its name. */
  readonly added?: (element: Element) => string;
  /** What becomes of an element that is not there any more, after its name. */
  readonly removed?: (element: Element) => string;
  readonly changed?: (before: Element, after: Element) => readonly string[];
}

/** Sentences about a list of elements with names: which are new, which are gone, which have changed, and their order. */
export function describeList<Element extends object>(list: NamedList<Element>): readonly string[] {
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
