/** The result of promotion, in the plainest words: sets of contents, and which of them become which. */
import { type ConfigItem, itemKey, itemOfKey } from '../../../config/config-set.ts';

/** Contents as texts, by `itemKey`. */
export type Contents = ReadonlyMap<string, string>;

/** A past activation or rollback of production. */
export interface Past {
  readonly action: 'activate' | 'rollback';
  /** The former and the current content of each item. */
  readonly items: ReadonlyMap<string, { readonly before: string | undefined; readonly after: string | undefined }>;
  /** Of a rollback: the release that is live since. */
  readonly restored: number | undefined;
  readonly previous: number | undefined;
  /** Of an activation: all that is live since. */
  readonly contents: Contents | undefined;
}

export interface ModelState {
  readonly test: Contents;
  readonly prod: Contents;
  /** Undefined takes an item away. */
  readonly staged: ReadonlyMap<string, string | undefined>;
  readonly past: readonly Past[];
  /** The release whose contents are live; 0 before the first. */
  readonly live: number;
  /** Entities that are not live, whose records are kept. */
  readonly retired: ReadonlySet<string>;
  /** Entities whose records are being removed. */
  readonly removing: ReadonlySet<string>;
}

/** The commands of promotion. */
export type Request =
  | { readonly does: 'publish'; readonly items: readonly ConfigItem[] | 'all' }
  | { readonly does: 'withdraw'; readonly item: ConfigItem | undefined }
  | { readonly does: 'activate' }
  | { readonly does: 'rollback'; readonly version: number | undefined }
  | { readonly does: 'purge'; readonly name: string }
  | { readonly does: 'jobs' };

/** The code of the refusal, or `done`; and how things are then. */
export interface Outcome {
  readonly outcome: string;
  readonly model: ModelState;
}

export function after(model: ModelState, request: Request): Outcome {
  switch (request.does) {
    case 'publish':
      return publish(model, request.items);
    case 'withdraw':
      return withdraw(model, request.item);
    case 'activate':
      return activate(model);
    case 'rollback':
      return rollBack(model, request.version);
    case 'purge':
      return purge(model, request.name);
    case 'jobs':
      return { outcome: 'done', model: { ...model, removing: new Set() } };
  }
}

export function differences({ test, prod }: ModelState): ReadonlySet<string> {
  return new Set([...test.keys(), ...prod.keys()].filter((key) => test.get(key) !== prod.get(key)));
}

function publish(model: ModelState, items: readonly ConfigItem[] | 'all'): Outcome {
  const different = differences(model);
  const requested = items === 'all' ? [...different, ...model.staged.keys()] : items.map(itemKey);
  const isKnown = (key: string): boolean => model.test.has(key) || model.prod.has(key);
  if (items !== 'all' && !requested.every(isKnown)) return { outcome: 'validation_failed', model };
  const settled = requested.filter((key) => model.staged.has(key) && !different.has(key));
  const kept = new Map([...model.staged].filter(([key]) => !settled.includes(key)));
  const selected = closure({ ...model, staged: kept }, requested);
  if (selected.size + settled.length === 0) return { outcome: 'conflict', model };
  const staged = new Map(kept);
  for (const key of selected) staged.set(key, model.test.get(key));
  return { outcome: 'done', model: { ...model, staged } };
}

/** The differences among what is asked for, and those that they cannot do without. */
function closure(model: ModelState, request: readonly string[]): ReadonlySet<string> {
  const { test } = model;
  const different = differences(model);
  const expected = expectedOf(model);
  const selected = new Set(request.filter((key) => different.has(key)));
  for (const key of selected) {
    const content = test.get(key);
    const needed =
      content === undefined
        ? [...expected.keys()].filter((other) => referencesOf(other, expected.get(other) ?? '').includes(key))
        : referencesOf(key, content).filter((other) => !expected.has(other));
    for (const other of needed) if (different.has(other)) selected.add(other);
  }
  return selected;
}

function withdraw(model: ModelState, item: ConfigItem | undefined): Outcome {
  if (item !== undefined && !model.staged.has(itemKey(item))) return { outcome: 'not_found', model };
  const staged = new Map(item === undefined ? [] : model.staged);
  if (item !== undefined) staged.delete(itemKey(item));
  return { outcome: 'done', model: { ...model, staged } };
}

function activate(model: ModelState): Outcome {
  const { staged, live } = model;
  if (staged.size === 0) return { outcome: 'conflict', model };
  const prod = expectedOf(model);
  if (danglingIn(prod).length > 0) return { outcome: 'dangling_reference', model };
  if (needsRemoved(model, prod)) return { outcome: 'conflict', model };
  const items = changesOf(model.prod, prod, [...staged.keys()]);
  const past = { action: 'activate', items, restored: undefined, contents: prod } as const;
  const next = { ...model, past: [...model.past, { ...past, previous: live === 0 ? undefined : live }] };
  return { outcome: 'done', model: { ...switched(next, prod), staged: new Map(), live: next.past.length } };
}

/** The contents of production once all that is staged is live. */
function expectedOf({ prod, staged }: ModelState): Contents {
  const expected = new Map(prod);
  for (const [key, content] of staged) {
    if (content === undefined) expected.delete(key);
    else expected.set(key, content);
  }
  return expected;
}

function rollBack(model: ModelState, version: number | undefined): Outcome {
  const wanted = version ?? model.past[model.live - 1]?.previous;
  if (wanted === undefined) return { outcome: 'no_previous_version', model };
  const restored = model.past[wanted - 1]?.restored ?? wanted;
  if (restored === model.live) return { outcome: 'conflict', model };
  const prod = model.past[restored - 1]?.contents;
  if (prod === undefined) return { outcome: 'not_found', model };
  if (needsRemoved(model, prod)) return { outcome: 'conflict', model };
  const changed = [...model.prod.keys(), ...prod.keys()].filter((key) => model.prod.get(key) !== prod.get(key));
  const items = changesOf(model.prod, prod, changed);
  const past = { action: 'rollback', items, restored, previous: undefined, contents: undefined } as const;
  return { outcome: 'done', model: { ...switched(model, prod), past: [...model.past, past], live: restored } };
}

function purge(model: ModelState, name: string): Outcome {
  if (!model.retired.has(name)) return { outcome: 'not_found', model };
  const retired = new Set([...model.retired].filter((one) => one !== name));
  return { outcome: 'done', model: { ...model, retired, removing: new Set([...model.removing, name]) } };
}

/** Records that are being removed cannot be had. */
function needsRemoved({ removing }: ModelState, prod: Contents): boolean {
  return [...removing].some((name) => prod.has(`entity#${name}`));
}

function changesOf(before: Contents, later: Contents, keys: readonly string[]): Past['items'] {
  const changes = keys.map((key) => [key, { before: before.get(key), after: later.get(key) }] as const);
  return new Map(changes.filter(([, change]) => change.before !== undefined || change.after !== undefined));
}

/** Entities that go leave their records, and those that come find theirs. */
function switched(model: ModelState, prod: Contents): ModelState {
  const isLive = (name: string): boolean => prod.has(`entity#${name}`);
  const gone = [...model.prod.keys()]
    .map(itemOfKey)
    .filter(({ kind, name }) => kind === 'entity' && !isLive(name))
    .map(({ name }) => name);
  const retired = new Set([...model.retired, ...gone].filter((name) => !isLive(name)));
  return { ...model, prod, retired };
}

/** The references of a set's items that are not among them. */
export function danglingIn(contents: Contents): readonly string[] {
  return [...contents].flatMap(([key, content]) =>
    referencesOf(key, content).flatMap((other) => (contents.has(other) ? [] : [`${key} to ${other}`])),
  );
}

/** Read from the texts alone: nothing here is the platform's own. */
function referencesOf(key: string, content: string): readonly string[] {
  const found = [
    ...[...content.matchAll(/"lookup":\{"entity":"(\w+)"/g)].map(([, name]) => `entity#${name}`),
    ...[...content.matchAll(/"(?:entity|entity_name)":"(\w+)"/g)].map(([, name]) => `entity#${name}`),
    ...[...content.matchAll(/"logicblock":"(\w+)"/g)].map(([, name]) => `logicblock#${name}`),
    ...[...content.matchAll(/"crew":"(\w+)"/g)].map(([, name]) => `crew#${name}`),
    ...[...content.matchAll(/"kind":"(\w+)","name":"(\w+)"/g)].map(([, kind, name]) => `${kind}#${name}`),
    ...(/^\{"value":[6-9]/.test(content) ? ['settings#house.frame'] : []),
  ];
  // An item may refer to itself, and users are in every org.
  return [...new Set(found)].filter((other) => other !== key && other !== 'entity#user');
}
