/** The shape of what is stored: names of members and types of values, without what differs from one org to the next. */
import type { Change, Item } from '../../store/port.ts';

/** Texts, numbers and so on by their types; lists and objects by what is in them. */
export interface Shape {
  readonly types: Set<string>;
  readonly members: Map<string, Shape>;
  element: Shape | undefined;
}

/** By where items lie. */
export type Shapes = Map<string, Shape>;

interface SpaceScope {
  readonly space: string;
  readonly scope: string;
}

export function noteChange(shapes: Shapes, place: SpaceScope, change: Change): void {
  switch (change.kind) {
    case 'put':
      note(shapes, [place, change.pk, change.sk, dueOf(change)], change.value);
      return;
    case 'add':
      note(shapes, [place, change.pk, change.sk, ''], 'a counter');
      return;
    case 'tally':
      note(shapes, [place, change.pk, change.sk, ''], JSON.stringify({ label: '', figures: [''] }));
      return;
    case 'put-index':
      note(shapes, [place, change.pk, '*', ' -> item'], '');
      return;
    case 'append':
      note(shapes, [place, change.pk, '+', change.isChained === true ? ' chained' : ''], change.value);
  }
}

function dueOf({ due }: Pick<Item, 'due'>): string {
  return due === undefined ? '' : ` due ${due.queue}`;
}

/** What the store itself makes of what is appended. */
export function noteChained(shapes: Shapes, place: SpaceScope, { pk, sk, value }: Item): void {
  const text = value
    .replace(/[0-9a-f]{64}/, '{digest}')
    .replace(/^\d+ /, '{count} ')
    .replace(/ \{".*$/, ' {entry}');
  note(shapes, [place, pk, sk, ' as stored'], JSON.stringify({ [text]: '' }));
}

type Where = readonly [place: SpaceScope, pk: string, sk: string, more: string];

function note(shapes: Shapes, [{ space, scope }, pk, sk, more]: Where, value: string): void {
  const name = `${space} ${plainScope(scope)} | ${plain(pk)} | ${plain(sk)}${more}`;
  shapes.set(name, merged(shapes.get(name), parsed(value)));
}

function plainScope(scope: string): string {
  if (!scope.startsWith('org#')) return scope;
  return scope.includes('-') ? 'org#{org}-{tenant}' : 'org#{org}';
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Names that are made up, and values, in the order in which one may be part of another. */
const madeUp: readonly (readonly [RegExp, string])[] = [
  [/http:\/\/127\.0\.0\.1:\d+/g, '{issuer}'],
  [/org#[a-z0-9]+-[a-z0-9]+/g, 'org#{org}-{tenant}'],
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '{id}'],
  [/\d{4}-\d\d-\d\d#[\w-]{12}#[a-z0-9]*/g, '{day}#{node}#{tenant}'],
  [/\d{4}-\d\d-\d\d#[\w-]{12}/g, '{day}#{node}'],
  [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, '{email}'],
  [/@\d+/g, '@{version}'],
  [/\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?/g, '{time}'],
  [/\b[ceow][0-9a-f]{12}\b/g, '{name}'],
  [/(?=[\w-]*[A-Z0-9])[\w-]{16,}/g, '{hash}'],
  [/\b(?:shop|club|main|second|third|customer|thing|extra|brief|order|greet|welcome|office)\b/g, '{name}'],
  [/(?<=[#;]|^)\d+/g, '{number}'],
];

function plain(text: string): string {
  return madeUp.reduce((done, [pattern, name]) => done.replace(pattern, name), text);
}

function merged(shape: Shape = { types: new Set(), members: new Map(), element: undefined }, value: unknown): Shape {
  if (Array.isArray(value)) {
    shape.types.add('list');
    for (const one of value) shape.element = merged(shape.element, one);
  } else if (typeof value === 'object' && value !== null) {
    shape.types.add('object');
    for (const [name, member] of Object.entries(value)) {
      // Which values of a call are kept depends on which calls are sampled.
      const known = name.startsWith('request.') ? '{value}' : name.includes('#') ? plain(name) : name;
      shape.members.set(known, merged(shape.members.get(known), member));
    }
  } else shape.types.add(value === null ? 'null' : typeof value);
  return shape;
}

/** A line for each kind of item, in order. */
export function textOf(shapes: Shapes): string {
  const lines = [...shapes].map(([name, shape]) => `${name} = ${shapeText(shape)}\n`);
  return lines.toSorted().join('');
}

export function shapeOf(value: unknown): string {
  return shapeText(merged(undefined, value));
}

function shapeText({ types, members, element }: Shape): string {
  const names = [...members].toSorted(([left], [right]) => (left < right ? -1 : 1));
  const inside = names.map(([name, shape]) => `${name}: ${shapeText(shape)}`).join(', ');
  const listed = element === undefined ? '' : shapeText(element);
  const texts = new Map([
    ['object', `{${inside}}`],
    ['list', `[${listed}]`],
  ]);
  return [...types]
    .toSorted()
    .map((type) => texts.get(type) ?? type)
    .join(' | ');
}
