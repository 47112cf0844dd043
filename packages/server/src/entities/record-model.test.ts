import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../lib/problem.ts';
import { openStore } from '../store/open-store.ts';
import type { OpenedStore } from '../store/port.ts';
import type { KeyTemplates } from './definition.ts';
import type { RecordData } from './record.ts';
import { derived, listAll, listQuery, type Node, RecordBench, SteppedClock } from './record-bench.ts';
import type { RecordCall } from './write-loop.ts';

type Fields = Readonly<Record<string, string | number | boolean | null>>;

type Step =
  | { readonly kind: 'create'; readonly body: Fields }
  | { readonly kind: 'update'; readonly which: number; readonly body: Fields }
  | { readonly kind: 'remove'; readonly which: number };

/** How an entity's records are keyed, and what the key demands of their fields. */
interface Variant {
  readonly entityName: string;
  readonly baseKeys?: KeyTemplates;
  readonly needed: readonly string[];
  readonly natural?: string;
}

const variants: readonly Variant[] = [
  { entityName: 'plain', needed: [] },
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
];

const body = fc.record(
  {
    title: fc.option(fc.constantFrom('a', 'b', 'a#b', 'a;b', '%', 'a%23b', '\u0001', '😀', ''), { freq: 8 }),
    amount: fc.option(fc.constantFrom(0, -0, 1, -1, 0.5, 9007199254740991, 5e-324), { freq: 8 }),
    flag: fc.option(fc.boolean(), { freq: 8 }),
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
    await holdToModel(await openStore({ kind: 'memory', clock }), clock, { variant, numRuns: 150 });
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
  const { entityName } = variant;
  const UpdateParams = [
    { name: 'title', index: true },
    { name: 'amount', colType: 'number', index: true },
    { name: 'flag', colType: 'boolean', index: true },
  ];
  await node.admin.define('acme', { entityName, UpdateParams, ...baseKeysOf(variant) });
  let runs = 0;
  const property = fc.asyncProperty(steps, async (taken) => {
    const bench = new RecordBench(opened, clock, `${entityName}${++runs}`);
    const call = await node.call(entityName, { workspace: bench.workspace });
    const model = new Map<string, RecordData>();
    for (const one of taken) await take(node, call, { variant, model, step: one });
    await compare(bench, node, { call, model });
  });
  await fc.assert(property, { numRuns });
}

function baseKeysOf({ baseKeys }: Variant): { readonly baseKeys?: KeyTemplates } {
  return baseKeys === undefined ? {} : { baseKeys };
}

interface Taking {
  readonly variant: Variant;
  readonly model: Map<string, RecordData>;
  readonly step: Step;
}

/** Does the step, and says by the model whether it had to be refused. */
async function take({ runtime }: Node, call: RecordCall, { variant, model, step }: Taking): Promise<void> {
  const known = [...model.values()];
  const chosen = step.kind === 'create' ? undefined : known[step.which];
  if (step.kind !== 'create' && chosen === undefined) return;
  const fields = { ...chosen, ...(step.kind === 'remove' ? {} : step.body) };
  const refusal = step.kind === 'remove' ? undefined : refusalOf(variant, known, fields, chosen?.id);
  const id = chosen?.id ?? '';
  const write = async (): Promise<string | undefined> => {
    if (step.kind === 'remove') {
      await runtime.remove(call, { id });
      model.delete(id);
      return undefined;
    }
    const { body } = step;
    const { data } = await (step.kind === 'create' ? runtime.create(call, body) : runtime.update(call, { id, body }));
    model.set(data.id, data);
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
  const data = model.get(written);
  for (const name of ['title', 'amount', 'flag']) assert.deepEqual(data?.[name], withoutNull((fields as Fields)[name]));
}

function refusalOf(variant: Variant, known: readonly RecordData[], fields: object, id: string | undefined) {
  const sent = fields as Fields;
  if (variant.needed.some((name) => sent[name] === undefined || sent[name] === null || sent[name] === ''))
    return 'validation_failed';
  const { natural } = variant;
  if (natural === undefined) return undefined;
  return known.some((record) => record.id !== id && record[natural] === sent[natural]) ? 'conflict' : undefined;
}

function withoutNull(value: unknown): unknown {
  if (value === null) return undefined;
  return value === 0 ? 0 : value;
}

interface Compared {
  readonly call: RecordCall;
  readonly model: ReadonlyMap<string, RecordData>;
}

async function compare(bench: RecordBench, node: Node, { call, model }: Compared): Promise<void> {
  const newestFirst = [...model.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
  const withoutVersion = ({ version: _version, ...data }: RecordData): object => data;
  const listed = await listAll(node, call, { pagesize: '3' });
  assert.deepEqual(listed.map(withoutVersion), newestFirst);
  assert.deepEqual((await node.runtime.count(call, listQuery(call))).count, model.size);
  for (const record of listed) {
    const item = await node.runtime.get(call, record.id);
    assert.deepEqual({ ...JSON.parse(item?.value ?? ''), version: item?.version }, record);
  }
  const { actual, expected } = await derived(bench, call);
  assert.deepEqual(actual, expected);
}
