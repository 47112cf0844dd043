import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../lib/problem.ts';
import type { RecordData } from '../records/record.ts';
import { maintainEntity } from '../records/reindex/maintain-entity.ts';
import type { RecordCall } from '../records/writing/write-loop.ts';
import type { OnDelete } from '../schema/definition.ts';
import type { OpenedStore } from '../store/port.ts';
import { openStore } from '../store/testing/open-store.ts';
import { thinned } from '../store/testing/quick.ts';
import { derived, listAll, listQuery, type Node, RecordBench, SteppedClock } from '../testing/record-bench.ts';

/** Every way of referring, to records of the same entity and of another, so that there are circles of all kinds. */
const references: Readonly<Record<EntityName, Readonly<Record<string, readonly [EntityName, OnDelete, 'array'?]>>>> = {
  node: {
    likes: ['leaf', 'setnull', 'array'],
    above: ['node', 'cascade'],
    beside: ['node', 'setnull'],
    holds: ['node', 'restrict'],
    first: ['leaf', 'cascade'],
    best: ['leaf', 'setnull'],
  },
  leaf: {
    marks: ['node', 'setnull', 'array'],
    keeps: ['leaf', 'restrict', 'array'],
    root: ['node', 'cascade'],
    near: ['node', 'setnull'],
    holds: ['node', 'restrict'],
    next: ['leaf', 'setnull'],
    needs: ['leaf', 'restrict'],
  },
};
type EntityName = 'node' | 'leaf';

const fieldsOf = (entity: EntityName, targets: readonly EntityName[]) => [
  { name: 'tag' },
  ...Object.entries(references[entity])
    .filter(([, [target]]) => targets.includes(target))
    .map(([name, [target, onDelete, kind]]) => {
      const id = { colType: 'guid', lookup: { entity: target, onDelete } };
      return kind === 'array' ? { name, colType: 'array', items: id } : { name, ...id };
    }),
];

const arraysOf = (entity: EntityName): readonly string[] =>
  Object.entries(references[entity]).flatMap(([name, [, , kind]]) => (kind === 'array' ? [name] : []));

/** The leaves lie under keys that change, so that their index items have to move with them. */
const leafKeys = { pkTemplate: 'org#{org};leaves', skTemplate: '{tag}#{id}' };

async function defineBoth(node: Node, store: OpenedStore['store'], clock: SteppedClock): Promise<void> {
  await node.admin.define('acme', { entityName: 'node', UpdateParams: fieldsOf('node', ['node']) });
  const UpdateParams = fieldsOf('leaf', ['node', 'leaf']);
  await node.admin.define('acme', { entityName: 'leaf', UpdateParams, baseKeys: leafKeys });
  const body = { UpdateParams: fieldsOf('node', ['node', 'leaf']) };
  await node.admin.change('acme', { api: 'create-node', body });
  const work = { orgCode: 'acme', entityName: 'node', version: 0 };
  await maintainEntity.run({ store, clock, configs: node.configs }, work, async () => undefined);
}

type Link = number | 'absent' | 'self' | null;
type Links = Readonly<Record<string, Link | readonly Link[]>>;

type Step =
  | { readonly kind: 'create'; readonly entity: EntityName; readonly tag: string; readonly links: Links }
  | {
      readonly kind: 'update';
      readonly entity: EntityName;
      readonly which: number;
      readonly tag: string;
      readonly links: Links;
    }
  | { readonly kind: 'remove'; readonly entity: EntityName; readonly which: number };

const link = fc.oneof(
  { weight: 8, arbitrary: fc.nat({ max: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom('absent' as const, 'self' as const, null) },
);
const which = fc.nat({ max: 6 });
const tag = fc.constantFrom('a', 'b', 'a#b');
const stepOf = (entity: EntityName): fc.Arbitrary<Step> => {
  const elements = fc.option(fc.array(link, { maxLength: 4 }), { freq: 8 });
  const linksOf = Object.keys(references[entity]).map((name) => [
    name,
    arraysOf(entity).includes(name) ? elements : link,
  ]);
  const links = fc.record(Object.fromEntries(linksOf), { requiredKeys: [] }) as fc.Arbitrary<Links>;
  const few = links.map((all) => Object.fromEntries(Object.entries(all).slice(0, 2)));
  const of = fc.constant(entity);
  return fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('create' as const), entity: of, tag, links: few }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('update' as const), entity: of, which, tag, links: few }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('remove' as const), entity: of, which }) },
  );
};
const steps = fc.array(fc.oneof(stepOf('node'), stepOf('leaf')), { minLength: 12, maxLength: 40, size: 'max' });

type Records = Readonly<Record<EntityName, Map<string, RecordData>>>;
type Calls = Readonly<Record<EntityName, RecordCall>>;

test('whatever is made, linked and removed, what remains is what the references ask for, and none of them dangles', async () => {
  const clock = new SteppedClock();
  const outcomes = await holdToModel(await openStore({ kind: 'memory', clock }), clock, thinned(300));
  // The model is worth nothing where the steps never come to what it is about.
  for (const outcome of ['update', 'took others', 'cleared others', 'dangling_reference', 'validation_failed'])
    assert.ok((outcomes.get(outcome) ?? 0) >= thinned(10), `${outcome} ${[...outcomes].join(' ')}`);
});

const directory = mkdtempSync(join(tmpdir(), 'freehold-references-'));
after(() => rmSync(directory, { recursive: true, force: true }));

test('the same holds on disk', async () => {
  const clock = new SteppedClock();
  const path = join(directory, 'store.db');
  const opened = await openStore({ kind: 'sqlite', path, clock, onFatal: (error) => assert.fail(error) });
  try {
    await holdToModel(opened, clock, 8);
  } finally {
    await opened.store.close();
  }
});

async function holdToModel(opened: OpenedStore, clock: SteppedClock, numRuns: number) {
  const node = new RecordBench(opened, clock).node();
  await defineBoth(node, opened.store, clock);
  let runs = 0;
  const outcomes = new Map<string, number>();
  const property = fc.asyncProperty(steps, async (taken) => {
    const bench = new RecordBench(opened, clock, `t${++runs}`);
    const { workspace } = bench;
    const calls = { node: await node.call('node', { workspace }), leaf: await node.call('leaf', { workspace }) };
    const records: Records = { node: new Map(), leaf: new Map() };
    for (const step of taken) {
      const outcome = await take(node, calls, { records, step });
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    await compare(bench, node, { calls, records });
  });
  await fc.assert(property, { numRuns });
  return outcomes;
}

interface Taking {
  readonly records: Records;
  readonly step: Step;
}

/** Does the step, and holds it to the model; says what came of it. */
async function take({ runtime }: Node, calls: Calls, { records, step }: Taking): Promise<string> {
  const known = [...records[step.entity].keys()];
  const id = step.kind === 'create' ? undefined : known[step.which % known.length];
  if (step.kind !== 'create' && id === undefined) return 'skipped';
  const call = calls[step.entity];
  if (step.kind === 'remove')
    return removeByModel(runtime.remove(call, { id: id ?? '' }), records, { ...step, id: id ?? '' });
  const { body, isBad } = bodyOf(records, step, id);
  const written = await (step.kind === 'create'
    ? runtime.create(call, body)
    : runtime.update(call, { id: id ?? '', body })
  ).then(({ data }) => data, codeOf);
  if (isBad || typeof written === 'string') {
    assert.equal(written, isBad ? 'validation_failed' : 'done', JSON.stringify(step));
    return 'validation_failed';
  }
  for (const [name, value] of Object.entries(body)) assert.deepEqual(written[name], value ?? undefined);
  records[step.entity].set(written.id, written);
  return step.kind;
}

/** The fields that a step sends, and whether one of them refers to no record. */
function bodyOf(
  records: Records,
  { entity, tag, links }: Exclude<Step, { readonly kind: 'remove' }>,
  own: string | undefined,
) {
  const body: Record<string, unknown> = { tag };
  let isBad = false;
  for (const [name, to] of Object.entries(links)) {
    const target = references[entity][name]?.[0] ?? entity;
    const known = [...records[target].keys()];
    const idOf = (one: Link): string | null => {
      if (one === null) return null;
      if (one === 'absent') return '01890000-0000-7000-8000-000000000000';
      return (one === 'self' && target === entity ? own : known[Number(one) % known.length]) ?? null;
    };
    body[name] = isList(to) ? to.flatMap((one) => idOf(one) ?? []) : idOf(to);
    isBad ||= isList(to) ? to.includes('absent') : to === 'absent';
  }
  return { body, isBad };
}

function isList(to: Link | readonly Link[]): to is readonly Link[] {
  return Array.isArray(to);
}

async function removeByModel(
  removal: Promise<void>,
  records: Records,
  { entity, id }: { readonly entity: EntityName; readonly id: string },
): Promise<string> {
  const code = await removal.then(() => 'done', codeOf);
  const gone = takenAlong(records, entity, id);
  const referring = linksTo(records, gone).filter(({ holder }) => !gone.has(holder));
  const isHeld = referring.some(({ onDelete }) => onDelete === 'restrict');
  assert.equal(code, isHeld ? 'dangling_reference' : 'done');
  if (isHeld) return code;
  for (const { from, holder, field } of referring) {
    const data = records[from].get(holder);
    const left = Array.isArray(data?.[field]) ? data[field].filter((id) => !gone.has(id)) : undefined;
    const others = Object.entries(data ?? {}).filter(([name]) => name !== field);
    const cleared = left === undefined ? others : [...others, [field, left]];
    records[from].set(holder, Object.fromEntries(cleared) as RecordData);
  }
  for (const one of gone) for (const name of ['node', 'leaf'] as const) records[name].delete(one);
  return gone.size > 1 ? 'took others' : referring.length > 0 ? 'cleared others' : 'remove';
}

/** The record and all that would be removed with it, whatever the order in which one finds them. */
function takenAlong(records: Records, entity: EntityName, id: string): ReadonlySet<string> {
  const gone = new Set(records[entity].has(id) ? [id] : []);
  for (let size = 0; size < gone.size; ) {
    size = gone.size;
    for (const { holder, onDelete } of linksTo(records, gone)) if (onDelete === 'cascade') gone.add(holder);
  }
  return gone;
}

function linksTo(records: Records, ids: ReadonlySet<string>) {
  return (['node', 'leaf'] as const).flatMap((from) =>
    [...records[from].values()].flatMap((data) =>
      Object.entries(references[from])
        .filter(([field]) => [data[field]].flat().some((id) => ids.has(String(id))))
        .map(([field, [, onDelete]]) => ({ from, holder: data.id, field, onDelete })),
    ),
  );
}

async function compare(
  bench: RecordBench,
  node: Node,
  { calls, records }: { readonly calls: Calls; readonly records: Records },
): Promise<void> {
  for (const entity of ['node', 'leaf'] as const) {
    const newestFirst = [...records[entity].values()].sort((a, b) => (a.id < b.id ? 1 : -1));
    const listed = (await listAll(node, calls[entity])).map(({ version: _, ...data }) => data);
    assert.deepEqual(listed, newestFirst);
    for (const field of arraysOf(entity))
      for (const id of [...records.node.keys(), ...records.leaf.keys()]) {
        const request = { [field]: id, [`${field}_op`]: 'contains' };
        const holding = newestFirst.filter((data) => [data[field]].flat().includes(id)).map((data) => data.id);
        assert.deepEqual(
          (await listAll(node, calls[entity], { ...request, pagesize: '2' })).map((data) => data.id),
          holding,
        );
        const { count } = await node.runtime.count(calls[entity], listQuery(calls[entity], request));
        assert.equal(count, holding.length);
      }
  }
  const { actual, expected } = await derived(bench, calls.node);
  assert.deepEqual(actual, expected);
}

function codeOf(error: unknown): string {
  return error instanceof Problem ? error.code : String(error);
}
