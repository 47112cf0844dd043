/** Steps of a logic block as the form changes them. */
import { isObject } from '../../components/schema-form/schema.ts';

export function isSteps(value: unknown): value is readonly object[] {
  return Array.isArray(value) && value.every(isObject);
}

/** Why the form cannot show a content; undefined where it can. */
export function whyNoForm(content: object): string | undefined {
  const steps: unknown = Reflect.get(content, 'steps');
  return steps === undefined || isSteps(steps) ? undefined : '`steps` must be a list of objects';
}

export function textMember(step: object, name: string): string {
  const value: unknown = Reflect.get(step, name);
  return typeof value === 'string' ? value : '';
}

/** The element at one place is put at another. */
export function moved<Element>(list: readonly Element[], from: number, to: number): readonly Element[] {
  const others = list.filter((_, at) => at !== from);
  return [...others.slice(0, to), ...list.slice(from, from + 1), ...others.slice(to)];
}

/** An id for a new step that no step of the content has, those within others included. */
export function newStepId(type: string, steps: unknown): string {
  const taken = idsIn(steps);
  for (let number = 1; ; number++) {
    const id = number === 1 ? type : `${type}_${number}`;
    if (!taken.has(id)) return id;
  }
}

function idsIn(value: unknown): ReadonlySet<string> {
  if (Array.isArray(value)) return new Set(value.flatMap((one) => [...idsIn(one)]));
  if (!isObject(value)) return new Set();
  const own = textMember(value, 'id');
  return new Set([own, ...Object.values(value).flatMap((member) => [...idsIn(member)])]);
}

/** Where a pointer leads, in words: the innermost step on its way by its id, and the member; the pointer itself where there is no step. */
export function placeIn(body: unknown, pointer: string): string {
  const names = pointer.split('/').slice(1);
  let at = body;
  let place = pointer;
  for (const [index, name] of names.entries()) {
    at = typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined;
    if (!isObject(at) || textMember(at, 'id') === '' || textMember(at, 'type') === '') continue;
    place = [`step ${textMember(at, 'id')}`, ...names.slice(index + 1)].join(', ');
  }
  return place;
}

const shownCharacters = 60;

/** What tells a step from others of its kind. */
export function summaryOf(step: object): string {
  const of = ['entity', 'logicblock', 'url', 'to', 'if', 'message', 'seconds', 'over'] as const;
  const found = of.map((name): unknown => Reflect.get(step, name)).find((value) => value !== undefined && value !== '');
  if (found === undefined) return '';
  const text = typeof found === 'string' ? found : JSON.stringify(found);
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
}
