/** Batches of writes against a model of what they should come to, and against the same writes one after the other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { thinned } from '../store/testing/quick.ts';
import { derived, listAll, type Node, openBench, outcomeOf, RecordBench } from '../testing/record-bench.ts';
import type { RecordCall } from './writing/write-loop.ts';
import type { RecordOperation } from './writing/write-records.ts';

type Kind = 'team' | 'person' | 'seat';

/** The references of an entity's records. A team's name and a person's email are unique; a seat's place is its key. */
const references: Readonly<Record<Kind, Readonly<Record<string, { readonly to: Kind; readonly onDelete: string }>>>> = {
  team: {},
  person: {
    boss: { to: 'team', onDelete: 'restrict' },
    home: { to: 'team', onDelete: 'cascade' },
    guest: { to: 'team', onDelete: 'setnull' },
    friend: { to: 'person', onDelete: 'setnull' },
    parent: { to: 'person', onDelete: 'cascade' },
  },
  seat: { of: { to: 'person', onDelete: 'cascade' }, by: { to: 'team', onDelete: 'restrict' } },
};
const kinds = Object.keys(references) as readonly Kind[];

async function defineAll(node: Node): Promise<void> {
  const lookups = (kind: Kind) =>
    Object.entries(references[kind]).map(([name, { to, onDelete }]) => ({
      name,
      colType: 'guid',
      lookup: { entity: to, onDelete },
    }));
  const unique = (field: string) => ({ UniqueIndexes: [{ indexName: field, fields: [field] }] });
  const keyedBy = (skTemplate: string, entity: string) => ({
    baseKeys: { pkTemplate: `org#{org};data#${entity}`, skTemplate },
  });
  const name = { name: 'name', search: true };
  await node.admin.define('acme', { entityName: 'team', UpdateParams: [name], ...unique('name') });
  const person = { ...unique('email'), ...keyedBy('p#{nick}#{id}', 'person') };
  const [email, nick] = [{ name: 'email' }, { name: 'nick', index: true }];
  await node.admin.define('acme', {
    entityName: 'person',
    UpdateParams: [email, nick, ...lookups('person')],
    ...person,
  });
  const seat = keyedBy('s#{place}', 'seat');
  await node.admin.define('acme', {
    entityName: 'seat',
    UpdateParams: [{ name: 'place' }, ...lookups('seat')],
    ...seat,
  });
}

/** A record is called by the number of its making, also where another one refers to it. */
type Values = Readonly<Record<string, string | number | null>>;
type Row = { readonly kind: Kind; readonly values: Values };
type Rows = ReadonlyMap<number, Row>;

type Op =
  | (Row & { readonly action: 'create' })
  | (Row & { readonly action: 'update'; readonly which: number })
  | { readonly action: 'delete'; readonly kind: Kind; readonly which: number };

/** The rows at the start of each run, before the records are made to refer to each other. */
const started: readonly Row[] = [
  ...['a', 'b', 'c'].map((name) => ({ kind: 'team' as const, values: { name } })),
  ...['a', 'b', 'c', 'd'].map((email) => ({ kind: 'person' as const, values: { email, nick: email } })),
  ...['a', 'b', 'c'].map((place) => ({ kind: 'seat' as const, values: { place } })),
];
/** The source of the keys of records. */
const needed: Readonly<Record<Kind, Values>> = { team: {}, person: { nick: 'x' }, seat: { place: 'f' } };

const text = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const own: Readonly<Record<Kind, fc.Arbitrary<Values>>> = {
  team: fc.record({ name: fc.option(text, { freq: 6 }) }, { requiredKeys: [] }),
  person: fc.record({ email: fc.option(text, { freq: 6 }), nick: text }, { requiredKeys: [] }),
  seat: fc.record({ place: text }, { requiredKeys: [] }),
};

function which(kind: Kind): fc.Arbitrary<number> {
  const numbers = started.flatMap((row, number) => (row.kind === kind ? [number] : []));
  return fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(...numbers) },
    { weight: 1, arbitrary: fc.nat({ max: started.length }) },
  );
}

function links(kind: Kind): fc.Arbitrary<Values> {
  const each = Object.entries(references[kind]).map(([field, { to }]) =>
    fc.option(which(to), { freq: 5 }).map((number) => [field, number] as const),
  );
  return fc
    .tuple(...each)
    .chain((all) => fc.subarray(all, { maxLength: Math.min(2, all.length) }).map(Object.fromEntries));
}

const op: fc.Arbitrary<Op> = fc.constantFrom(...kinds).chain((kind) => {
  const values = fc.tuple(own[kind], links(kind)).map(([texts, linked]) => ({ ...texts, ...linked }));
  return fc.oneof(
    values.map((sent): Op => ({ action: 'create', kind, values: { ...needed[kind], ...sent } })),
    fc.tuple(which(kind), values).map(([number, values]): Op => ({ action: 'update', kind, which: number, values })),
    which(kind).map((number): Op => ({ action: 'delete', kind, which: number })),
  );
});
const isOfOneRecord = (one: Op): number | symbol => (one.action === 'create' ? Symbol() : one.which);
const scenario = fc.record({
  linked: fc.tuple(...started.map(({ kind }) => links(kind))),
  batch: fc.uniqueArray(op, { minLength: 1, maxLength: 6, selector: isOfOneRecord }),
});

/** The rows after the batch where nothing is against it, and the codes of everything that is. */
function expected(rows: Rows, batch: readonly Op[], made: number) {
  const against = new Set<string>();
  const removed = batch.flatMap((op) => (op.action === 'delete' ? [op.which] : []));
  const isMissing = (op: Op): boolean => op.action !== 'create' && rows.get(op.which)?.kind !== op.kind;
  if (batch.some(isMissing)) against.add('not_found');
  const { gone, emptied } = removal(rows, removed);
  const after = new Map([...rows].filter(([number]) => !gone.has(number)));
  for (const [number, fields] of emptied) put(after, number, { values: fields });
  let next = made;
  for (const op of batch) {
    if (op.action === 'delete' || isMissing(op)) continue;
    const number = op.action === 'create' ? next++ : op.which;
    for (const target of newTargets(op, rows.get(number)))
      if (rows.get(target.number)?.kind !== target.to) against.add('validation_failed');
      else if (gone.has(target.number)) against.add('conflict');
    if (gone.has(number) || emptied.has(number)) against.add('conflict');
    put(after, number, op);
  }
  for (const code of brokenRules(after, gone)) against.add(code);
  return { against, after };
}

function put(rows: Map<number, Row>, number: number, { kind, values }: Partial<Row>): void {
  const known = rows.get(number);
  const held = Object.entries({ ...known?.values, ...values }).filter(([, value]) => value !== null);
  rows.set(number, { kind: kind ?? known?.kind ?? 'team', values: Object.fromEntries(held) });
}

/** The records that a write refers to and that the record did not refer to before. */
function newTargets({ kind, values }: Row, before: Row | undefined) {
  return Object.entries(references[kind]).flatMap(([field, { to }]) => {
    const number = values[field];
    return typeof number === 'number' && number !== before?.values[field] ? [{ number, to }] : [];
  });
}

/** The records that go with the removed ones, and those that only let go of them. */
function removal(rows: Rows, removed: readonly number[]) {
  const gone = new Set(removed);
  const emptied = new Map<number, Values>();
  for (const target of gone)
    for (const [number, { kind, values }] of rows)
      for (const [field, { onDelete }] of Object.entries(references[kind])) {
        if (values[field] !== target) continue;
        if (onDelete === 'cascade') gone.add(number);
        if (onDelete === 'setnull') emptied.set(number, { ...emptied.get(number), [field]: null });
      }
  for (const number of gone) emptied.delete(number);
  return { gone, emptied };
}

function brokenRules(rows: Rows, gone: ReadonlySet<number>): readonly string[] {
  const codes: string[] = [];
  const held = new Set<string>();
  const rules = {
    team: ['name', 'unique_violation'],
    person: ['email', 'unique_violation'],
    seat: ['place', 'conflict'],
  };
  for (const { kind, values } of rows.values()) {
    for (const [field, { onDelete }] of Object.entries(references[kind]))
      if (onDelete === 'restrict' && gone.has(Number(values[field] ?? -1))) codes.push('dangling_reference');
    const [field = '', code = ''] = rules[kind];
    const value = values[field] === undefined ? undefined : `${kind} ${values[field]}`;
    if (value !== undefined && held.has(value)) codes.push(code);
    if (value !== undefined) held.add(value);
  }
  return codes;
}

/** A workspace, and the ids of the records by their numbers. */
class Model {
  readonly node: Node;
  readonly bench: RecordBench;
  readonly ids: string[] = [];

  constructor(node: Node, bench: RecordBench) {
    this.node = node;
    this.bench = bench;
  }

  call(kind: Kind): Promise<RecordCall> {
    return this.node.call(kind, { workspace: this.bench.workspace });
  }

  async begin(linked: readonly Values[]): Promise<void> {
    assert.equal(await this.write(started.map((row) => ({ action: 'create', ...row }))), 'done');
    for (const [which, values] of linked.entries())
      await this.write([{ action: 'update', kind: started[which]?.kind ?? 'team', which, values }]);
  }

  async write(batch: readonly Op[]): Promise<string> {
    const operations = await Promise.all(batch.map((op) => this.#operation(op)));
    const outcome = await outcomeOf(
      this.node.runtime.write(operations).then(({ records }) => {
        for (const [index, { action }] of batch.entries())
          if (action === 'create') this.ids.push(records[index]?.data.id ?? '');
      }),
    );
    return outcome;
  }

  async rows(): Promise<Rows> {
    const rows = new Map<number, Row>();
    for (const kind of kinds)
      for (const record of await listAll(this.node, await this.call(kind))) {
        const own = Object.entries(record).filter(([name]) => !/^(id|version|(created|updated)_(at|by))$/.test(name));
        const values = own.map(([name, value]) => [name, name in references[kind] ? this.#number(value) : value]);
        rows.set(this.#number(record.id), { kind, values: Object.fromEntries(values) });
      }
    return new Map([...rows].sort(([a], [b]) => a - b));
  }

  #number(id: unknown): number {
    return this.ids.indexOf(String(id));
  }

  #id(number: number): string {
    return this.ids[number] ?? '018bcfe5-0000-7000-8000-00000000dead';
  }

  async #operation(op: Op): Promise<RecordOperation> {
    const call = await this.call(op.kind);
    if (op.action === 'delete') return { action: 'delete', call, input: { id: this.#id(op.which) } };
    const values = Object.entries(op.values).map(([n, value]) => [
      n,
      typeof value === 'number' ? this.#id(value) : value,
    ]);
    const body = Object.fromEntries(values);
    if (op.action === 'create') return { action: 'create', call, body };
    return { action: 'update', call, input: { id: this.#id(op.which), body } };
  }
}

for (const [kind, numRuns] of [
  ['memory', 400],
  ['sqlite', 25],
] as const)
  test(`a batch comes to what its writes come to together, or to nothing (${kind})`, async (context) => {
    const { opened, clock } = await openBench(context, kind);
    const node = new RecordBench(opened, clock).node();
    await defineAll(node);
    const seen = new Map<string, number>();
    let worlds = 0;
    const property = fc.asyncProperty(scenario, async ({ linked, batch }) => {
      const [together, apart] = [0, 1].map(() => new Model(node, new RecordBench(opened, clock, `w${++worlds}`)));
      assert.ok(together !== undefined && apart !== undefined);
      for (const model of [together, apart]) await model.begin(linked);
      const before = await contentsOf(together);
      const { against, after } = expected(await together.rows(), batch, together.ids.length);
      const outcome = await together.write(batch);
      seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
      assert.equal(outcome === 'done', against.size === 0, `${outcome} where ${[...against]} was to be`);
      if (outcome === 'done') {
        assert.deepEqual(await together.rows(), new Map([...after].sort(([a], [b]) => a - b)));
        const { actual, expected } = await derived(together.bench, await together.call('team'));
        assert.deepEqual(actual, expected);
        if (await doneApart(apart, batch)) assert.deepEqual(await together.rows(), await apart.rows());
      } else {
        assert.ok(against.has(outcome), `${outcome} where ${[...against]} was to be`);
        assert.deepEqual(await contentsOf(together), before);
      }
    });
    await fc.assert(property, { numRuns: thinned(numRuns) });
    if (thinned(numRuns) < 100) return;
    const met = ['conflict', 'dangling_reference', 'done', 'not_found', 'unique_violation', 'validation_failed'];
    assert.deepEqual([...seen.keys()].sort(), met);
  });

/** All that is stored of a workspace, but for the fences, which a refused write may raise. */
async function contentsOf({ bench }: Model): Promise<readonly unknown[]> {
  return (await bench.contents()).filter(({ pk }) => pk !== 'fence').map(({ version: _, ...item }) => item);
}

async function doneApart(model: Model, batch: readonly Op[]): Promise<boolean> {
  for (const op of batch) if ((await model.write([op])) !== 'done') return false;
  return true;
}
