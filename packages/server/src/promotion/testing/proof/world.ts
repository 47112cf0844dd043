/** What promotion comes to, in the plainest words: sets of contents, and which of them become which. */
import { type ConfigItem, itemKey, itemOfKey } from '../../../config/config-item.ts';

/** Contents as texts, by `itemKey`. */
export type Contents = ReadonlyMap<string, string>;

/** What production once became. */
export interface Past {
  readonly action: 'activate' | 'rollback';
  /** What each item was and is. */
  readonly items: ReadonlyMap<string, { readonly before: string | undefined; readonly after: string | undefined }>;
  /** Of a rollback: the release that is live since. */
  readonly restored: number | undefined;
  readonly previous: number | undefined;
  /** Of an activation: all that is live since. */
  readonly contents: Contents | undefined;
}

export interface World {
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

/** What is asked of promotion. */
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
  readonly world: World;
}

export function after(world: World, request: Request): Outcome {
  switch (request.does) {
    case 'publish':
      return publish(world, request.items);
    case 'withdraw':
      return withdraw(world, request.item);
    case 'activate':
      return activate(world);
    case 'rollback':
      return rollBack(world, request.version);
    case 'purge':
      return purge(world, request.name);
    case 'jobs':
      return { outcome: 'done', world: { ...world, removing: new Set() } };
  }
}

export function differences({ test, prod }: World): ReadonlySet<string> {
  return new Set([...test.keys(), ...prod.keys()].filter((key) => test.get(key) !== prod.get(key)));
}

function publish(world: World, items: readonly ConfigItem[] | 'all'): Outcome {
  const different = differences(world);
  const asked = items === 'all' ? [...different, ...world.staged.keys()] : items.map(itemKey);
  const isKnown = (key: string): boolean => world.test.has(key) || world.prod.has(key);
  if (items !== 'all' && !asked.every(isKnown)) return { outcome: 'validation_failed', world };
  const settled = asked.filter((key) => world.staged.has(key) && !different.has(key));
  const kept = new Map([...world.staged].filter(([key]) => !settled.includes(key)));
  const selected = closure({ ...world, staged: kept }, asked);
  if (selected.size + settled.length === 0) return { outcome: 'conflict', world };
  const staged = new Map(kept);
  for (const key of selected) staged.set(key, world.test.get(key));
  return { outcome: 'done', world: { ...world, staged } };
}

/** The differences among what is asked for, and those that they cannot do without. */
function closure(world: World, asked: readonly string[]): ReadonlySet<string> {
  const { test } = world;
  const different = differences(world);
  const expected = expectedOf(world);
  const selected = new Set(asked.filter((key) => different.has(key)));
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

function withdraw(world: World, item: ConfigItem | undefined): Outcome {
  if (item !== undefined && !world.staged.has(itemKey(item))) return { outcome: 'not_found', world };
  const staged = new Map(item === undefined ? [] : world.staged);
  if (item !== undefined) staged.delete(itemKey(item));
  return { outcome: 'done', world: { ...world, staged } };
}

function activate(world: World): Outcome {
  const { staged, live } = world;
  if (staged.size === 0) return { outcome: 'conflict', world };
  const prod = expectedOf(world);
  if (danglingIn(prod).length > 0) return { outcome: 'dangling_reference', world };
  if (needsRemoved(world, prod)) return { outcome: 'conflict', world };
  const items = changesOf(world.prod, prod, [...staged.keys()]);
  const past = { action: 'activate', items, restored: undefined, contents: prod } as const;
  const next = { ...world, past: [...world.past, { ...past, previous: live === 0 ? undefined : live }] };
  return { outcome: 'done', world: { ...switched(next, prod), staged: new Map(), live: next.past.length } };
}

/** What production is once all that is staged is live. */
function expectedOf({ prod, staged }: World): Contents {
  const expected = new Map(prod);
  for (const [key, content] of staged) {
    if (content === undefined) expected.delete(key);
    else expected.set(key, content);
  }
  return expected;
}

function rollBack(world: World, version: number | undefined): Outcome {
  const wanted = version ?? world.past[world.live - 1]?.previous;
  if (wanted === undefined) return { outcome: 'no_previous_version', world };
  const restored = world.past[wanted - 1]?.restored ?? wanted;
  if (restored === world.live) return { outcome: 'conflict', world };
  const prod = world.past[restored - 1]?.contents;
  if (prod === undefined) return { outcome: 'not_found', world };
  if (needsRemoved(world, prod)) return { outcome: 'conflict', world };
  const changed = [...world.prod.keys(), ...prod.keys()].filter((key) => world.prod.get(key) !== prod.get(key));
  const items = changesOf(world.prod, prod, changed);
  const past = { action: 'rollback', items, restored, previous: undefined, contents: undefined } as const;
  return { outcome: 'done', world: { ...switched(world, prod), past: [...world.past, past], live: restored } };
}

function purge(world: World, name: string): Outcome {
  if (!world.retired.has(name)) return { outcome: 'not_found', world };
  const retired = new Set([...world.retired].filter((one) => one !== name));
  return { outcome: 'done', world: { ...world, retired, removing: new Set([...world.removing, name]) } };
}

/** Records that are being removed cannot be had. */
function needsRemoved({ removing }: World, prod: Contents): boolean {
  return [...removing].some((name) => prod.has(`entity#${name}`));
}

function changesOf(before: Contents, later: Contents, keys: readonly string[]): Past['items'] {
  const changes = keys.map((key) => [key, { before: before.get(key), after: later.get(key) }] as const);
  return new Map(changes.filter(([, change]) => change.before !== undefined || change.after !== undefined));
}

/** Entities that go leave their records, and those that come find theirs. */
function switched(world: World, prod: Contents): World {
  const isLive = (name: string): boolean => prod.has(`entity#${name}`);
  const gone = [...world.prod.keys()]
    .map(itemOfKey)
    .filter(({ kind, name }) => kind === 'entity' && !isLive(name))
    .map(({ name }) => name);
  const retired = new Set([...world.retired, ...gone].filter((name) => !isLive(name)));
  return { ...world, prod, retired };
}

/** What the items of a set refer to that is not among them. */
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
