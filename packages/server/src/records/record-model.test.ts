import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../lib/problem.ts';
import type { EntityDefinition, FieldDefinition } from '../schema/definition.ts';
import type { OpenedStore } from '../store/port.ts';
import { openStore } from '../store/testing/open-store.ts';
import { thinned } from '../store/testing/quick.ts';
import {
  derived,
  listAll,
  listQuery,
  type Node,
  RecordBench,
  SteppedClock,
  sealer,
  user,
} from '../testing/record-bench.ts';
import { sealedKey } from './indexes/derive.ts';
import type { RecordData } from './record.ts';
import { readSealed } from './writing/sealed-values.ts';
import type { RecordCall } from './writing/write-loop.ts';

type Fields = Readonly<Record<string, string | number | boolean | null>>;

type Step =
  | { readonly kind: 'create'; readonly body: Fields }
  | { readonly kind: 'update'; readonly which: number; readonly body: Fields }
  | { readonly kind: 'remove'; readonly which: number };

/** The definition beside the fields that every variant has, and its demands on records. */
interface Variant
  extends Pick<EntityDefinition, 'entityName' | 'baseKeys' | 'UniqueIndexes' | 'ownerIndexes' | 'parentIndex'> {
  readonly needed?: readonly string[];
  readonly natural?: string;
  readonly more?: readonly FieldDefinition[];
}

const variants: readonly Variant[] = [
  { entityName: 'plain' },
  {
    entityName: 'moving',
    baseKeys: { pkTemplate: 'org#{org};by#{flag}', skTemplate: '{title};{amount}#{id}' },
    needed: ['flag', 'title', 'amount'],
  },
  {
    entityName: 'natural',
    baseKeys: { pkTemplate: 'org#{org};natural', skTemplate: 'c#{title}' },
    needed: ['title'],
    natural: 'title',
  },
  rich('rich', {}),
  rich('richer', {
    baseKeys: { pkTemplate: 'org#{org};richer#{keeper}', skTemplate: '{no}#{id}' },
    needed: ['keeper'],
  }),
];

/** Everything that the platform keeps and makes of a record, in one entity. */
function rich(entityName: string, rest: Partial<Variant>): Variant {
  return {
    entityName,
    more: [
      { name: 'keeper', colType: 'guid' },
      { name: 'secret', colType: 'encrypted' },
      { name: 'no', colType: 'autoincrement', index: true },
      { name: 'label', colType: 'formula', formula: '{title}/{amount}/{no}', index: true, search: true },
      { name: 'words', search: true },
    ],
    UniqueIndexes: [
      { indexName: 'by_title', fields: ['title'], ignoreCase: true },
      { indexName: 'by_pair', fields: ['amount', 'flag'] },
      { indexName: 'by_label', fields: ['label', 'keeper'] },
    ],
    ownerIndexes: [
      { ownerFieldName: 'keeper', gpkTemplate: 'org#{org};o#{keeper}', gskTemplate: '{amount}#{id}', scopeList: true },
      { ownerFieldName: 'created_by', gpkTemplate: 'org#{org};c#{created_by}', gskTemplate: '{id}' },
    ],
    parentIndex: { parentFieldName: 'title', gpkTemplate: 'org#{org};t#{title}', gskTemplate: '{label}#{id}' },
    ...rest,
  };
}

const body = fc.record(
  {
    title: fc.option(fc.constantFrom('a', 'b', 'A', 'a#b', 'a;b', '%', 'a%23b', '\u0001', '😀', ''), { freq: 8 }),
    amount: fc.option(fc.constantFrom(0, -0, 1, -1, 0.5, 9007199254740991, 5e-324), { freq: 8 }),
    flag: fc.option(fc.boolean(), { freq: 8 }),
    keeper: fc.option(fc.constantFrom(user, '018bcfe5-0000-7000-8000-00000000000a'), { freq: 8 }),
    secret: fc.option(fc.constantFrom('s', 't', ''), { freq: 4 }),
    words: fc.option(fc.constantFrom('one two', 'Two one two', '...', ''), { freq: 8 }),
  },
  { requiredKeys: [] },
);
const which = fc.nat({ max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('create' as const), body }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('update' as const), which, body }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), which }) },
);
const steps = fc.array(step, { minLength: 1, maxLength: 25 });

for (const variant of variants)
  test(`any run of writes leaves the ${variant.entityName} records of the model, and beside them what they derive`, async () => {
    const clock = new SteppedClock();
    await holdToModel(await openStore({ kind: 'memory', clock }), clock, { variant, numRuns: thinned(150) });
  });

const directory = mkdtempSync(join(tmpdir(), 'freehold-records-'));
after(() => rmSync(directory, { recursive: true, force: true }));

test('the same holds on disk', async () => {
  const clock = new SteppedClock();
  const path = join(directory, 'store.db');
  const opened = await openStore({ kind: 'sqlite', path, clock, onFatal: (error) => assert.fail(error) });
  try {
    for (const variant of variants) await holdToModel(opened, clock, { variant, numRuns: 8 });
  } finally {
    await opened.store.close();
  }
});

async function holdToModel(
  opened: OpenedStore,
  clock: SteppedClock,
  { variant, numRuns }: { readonly variant: Variant; readonly numRuns: number },
): Promise<void> {
  const node = new RecordBench(opened, clock).node();
  const { entityName, needed: _needed, natural: _natural, more = [], ...definition } = variant;
  await node.admin.define('acme', { entityName, ...definition, UpdateParams: [...common, ...more] });
  let runs = 0;
  const property = fc.asyncProperty(steps, async (taken) => {
    const bench = new RecordBench(opened, clock, `${entityName}${++runs}`);
    const call = await node.call(entityName, { workspace: bench.workspace });
    const model: Model = { records: new Map(), secrets: new Map(), numbers: new Set() };
    for (const one of taken) await take(node, call, { variant, model, step: one });
    await compare(bench, node, { call, model });
  });
  await fc.assert(property, { numRuns });
}

const common: readonly FieldDefinition[] = [
  { name: 'title', index: true },
  { name: 'amount', colType: 'number', index: true },
  { name: 'flag', colType: 'boolean', index: true },
];

interface Model {
  readonly records: Map<string, RecordData>;
  readonly secrets: Map<string, string>;
  /** Every number that a record ever got. */
  readonly numbers: Set<unknown>;
}

interface Taking {
  readonly variant: Variant;
  readonly model: Model;
  readonly step: Step;
}

/** Does the step, and says by the model whether it had to be refused. */
async function take({ runtime }: Node, call: RecordCall, { variant, model, step }: Taking): Promise<void> {
  const known = [...model.records.values()];
  const chosen = step.kind === 'create' ? undefined : known[step.which];
  if (step.kind !== 'create' && chosen === undefined) return;
  const body = step.kind === 'remove' ? {} : bodyFor(variant, step.body);
  const owned = step.kind === 'create' && variant.ownerIndexes !== undefined ? { keeper: user } : {};
  const fields: Fields = { ...owned, ...(chosen as Fields | undefined), ...body };
  const refusal = step.kind === 'remove' ? undefined : refusalOf(variant, known, fields, chosen?.id);
  const id = chosen?.id ?? '';
  const write = async (): Promise<string | undefined> => {
    if (step.kind === 'remove') {
      await runtime.remove(call, { id });
      model.records.delete(id);
      model.secrets.delete(id);
      return undefined;
    }
    const { data } = await (step.kind === 'create' ? runtime.create(call, body) : runtime.update(call, { id, body }));
    model.records.set(data.id, data);
    if (typeof body.secret === 'string') model.secrets.set(data.id, body.secret);
    else if (body.secret === null) model.secrets.delete(data.id);
    return data.id;
  };
  let written: string | undefined;
  let code: string | undefined;
  try {
    written = await write();
  } catch (error) {
    code = error instanceof Problem ? error.code : String(error);
  }
  assert.equal(code, refusal, JSON.stringify(step));
  if (written === undefined) return;
  const data = model.records.get(written);
  for (const name of ['title', 'amount', 'flag', 'keeper', 'words'])
    assert.deepEqual(data?.[name], withoutNull(fields[name]));
  if (variant.more === undefined) return;
  const isNew = !model.numbers.has(data?.no);
  assert.equal(isNew, step.kind === 'create');
  model.numbers.add(data?.no);
  assert.equal(data?.label, labelOf(fields, Number(data?.no)));
}

/** The members of a body for which the variant has fields. */
function bodyFor({ more = [] }: Variant, body: Fields): Fields {
  const names = [...common, ...more].map(({ name }) => name);
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)));
}

function labelOf({ title, amount }: Fields, no: number): string {
  return `${title ?? ''}/${withoutNull(amount) ?? ''}/${no}`;
}

function refusalOf(variant: Variant, known: readonly RecordData[], fields: Fields, id: string | undefined) {
  const { needed = [], natural } = variant;
  if (needed.some((name) => fields[name] === undefined || fields[name] === null || fields[name] === ''))
    return 'validation_failed';
  const others = known.filter((record) => record.id !== id);
  if (natural !== undefined && others.some((record) => record[natural] === fields[natural])) return 'conflict';
  // The label holds the record's own number, so it is like no other.
  const uniques = (variant.UniqueIndexes ?? []).filter(({ indexName }) => indexName !== 'by_label');
  const spell = (value: unknown): string => JSON.stringify(value === 0 ? 0 : value).replaceAll('A', 'a');
  const isTaken = uniques.some(({ fields: names }) =>
    others.some((record) =>
      names.every(
        (name) =>
          fields[name] !== null && record[name] !== undefined && spell(record[name]) === spell(fields[name] ?? null),
      ),
    ),
  );
  return isTaken ? 'unique_violation' : undefined;
}

function withoutNull(value: unknown): unknown {
  if (value === null) return undefined;
  return value === 0 ? 0 : value;
}

interface Compared {
  readonly call: RecordCall;
  readonly model: Model;
}

async function compare(bench: RecordBench, node: Node, { call, model }: Compared): Promise<void> {
  const newestFirst = [...model.records.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
  const withoutVersion = ({ version: _version, ...data }: RecordData): object => data;
  const listed = await listAll(node, call, { pagesize: '3' });
  assert.deepEqual(listed.map(withoutVersion), newestFirst);
  assert.deepEqual((await node.runtime.count(call, listQuery(call))).count, model.records.size);
  for (const record of listed) {
    const item = await node.runtime.get(call, record.id);
    assert.deepEqual({ ...JSON.parse(item?.value ?? ''), version: item?.version }, record);
  }
  const { actual, expected } = await derived(bench, call);
  assert.deepEqual(actual, expected);
  for (const { id } of listed) assert.equal(await secretOf(call, id), model.secrets.get(id));
}

/** The sealed value of a record, as it opens at its place. */
async function secretOf({ workspace, entity }: RecordCall, id: string): Promise<string | undefined> {
  const [item] = await workspace.scope.get([sealedKey(entity.name, id)]);
  const { secret } = readSealed(item?.value);
  const place = { scope: workspace.scope.name, entityName: entity.name, id, field: 'secret' };
  return secret === undefined ? undefined : sealer.open(secret, place);
}
