/** Fields are renamed in test while production's records are written under every name, and releases come and go. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openMemory } from '../store/testing/open-memory.ts';
import { openForTest, roundsOn, storeKinds } from '../store/testing/open-test-store.ts';
import { listAll, outcomeOf, SteppedClock, verifyBench } from '../testing/record-bench.ts';
import { command, org, TwoSpaces } from './testing/proof/two-spaces.ts';

/** A field as the reference knows it: the name by which it is stored says which one it is. */
interface Field {
  readonly stored: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly former: readonly string[];
}

const namesOf = ({ stored, name, aliases, former }: Field): readonly string[] => [name, stored, ...aliases, ...former];
const fieldOf = (name: string): Field => ({ stored: name, name, aliases: [], former: [] });

type Move =
  | { readonly does: 'rename' | 'alias'; readonly which: number; readonly name: string }
  | { readonly does: 'drop aliases' | 'remove' | 'rollback'; readonly which: number }
  | { readonly does: 'add'; readonly name: string }
  | { readonly does: 'release' | 'look' | 'be late' }
  | Write;

interface Write {
  readonly does: 'write';
  readonly isLate: boolean;
  /** Of a record that there is; undefined makes one. */
  readonly which: number | undefined;
  /** For each field: by which of its names it is written, and what. */
  readonly values: readonly (readonly [names: number, value: string] | undefined)[];
}

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const which = fc.nat({ max: 5 });
const value = fc.option(fc.tuple(fc.nat({ max: 4 }), fc.constantFrom('x', 'y', 'z')), { nil: undefined });
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ does: fc.constant('rename' as const), which, name }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('alias' as const), which, name }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom('drop aliases' as const, 'remove' as const), which }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('rollback' as const), which }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('add' as const), name }) },
  {
    weight: 5,
    arbitrary: fc.record({ does: fc.constantFrom('release' as const, 'look' as const, 'be late' as const) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constant('write' as const),
      isLate: fc.boolean(),
      which: fc.option(which, { nil: undefined }),
      values: fc.array(value, { minLength: 6, maxLength: 6 }),
    }),
  },
);

for (const kind of storeKinds)
  test(`whatever fields are called, records keep their values under every name, release and node (${kind})`, async (context) => {
    const clock = new SteppedClock();
    const opened = { test: await openMemory({ clock }), prod: await openForTest(context, kind, clock) };
    const spaces = new TwoSpaces(opened, clock);
    await spaces.bench.prod.found(spaces.bench.prod.workspace);
    await spaces.bench.test.found(spaces.bench.test.workspace);
    let entities = 0;
    const property = fc.asyncProperty(fc.array(move, { minLength: 10, maxLength: 40 }), async (moves) => {
      const run = new ModelRun(spaces, `order${++entities}`);
      await run.begin();
      for (const one of moves) await run.play(one);
      await run.end();
    });
    await fc.assert(property, { numRuns: roundsOn(kind, 40) });
    assert.deepEqual((await verifyBench(spaces.bench.prod)).drift, []);
  });

type Call = Awaited<ReturnType<ReturnType<TwoSpaces['bench']['prod']['node']>['call']>>;

class ModelRun {
  readonly #spaces: TwoSpaces;
  readonly #entity: string;
  #shape: readonly Field[] = ['a', 'b', 'c'].map(fieldOf);
  readonly #releases: { readonly version: number; readonly shape: readonly Field[] }[] = [];
  #live: readonly Field[] = [];
  #late: { readonly call: Call; readonly shape: readonly Field[] } | undefined;
  /** By id: what each record has, by the names under which fields are stored. */
  readonly #records = new Map<string, Map<string, string>>();

  constructor(spaces: TwoSpaces, entity: string) {
    this.#spaces = spaces;
    this.#entity = entity;
  }

  async begin(): Promise<void> {
    const { admin } = this.#spaces.bench.test.node();
    const UpdateParams = this.#shape.map(({ name }) => ({ name, ...(name === 'a' ? { index: true } : {}) }));
    await admin.define(org, { entityName: this.#entity, UpdateParams });
    await this.play({ does: 'release' });
    await this.play({ does: 'be late' });
  }

  async play(one: Move): Promise<void> {
    switch (one.does) {
      case 'rename':
        return this.#rename(this.#chosen(one.which), one.name);
      case 'alias':
        return this.#alias(this.#chosen(one.which), one.name);
      case 'drop aliases': {
        const field = this.#chosen(one.which);
        await this.#change({ UpdateParams: [{ name: field.name, aliases: [] }] }, true);
        return this.#replace(field, { ...field, aliases: [] });
      }
      case 'remove':
        return this.#remove(this.#chosen(one.which));
      case 'add': {
        const isFree = this.#isFree(one.name);
        await this.#change({ UpdateParams: [{ name: one.name }] }, isFree || this.#isName(one.name));
        if (isFree) this.#shape = [...this.#shape, fieldOf(one.name)];
        return;
      }
      case 'release':
        return this.#release();
      case 'rollback':
        return this.#rollback(one.which);
      case 'be late':
        this.#late = { call: await this.#call(), shape: this.#live };
        return;
      case 'look':
        return this.#look();
      case 'write':
        return this.#write(one);
    }
  }

  /** Under each release there was. */
  async end(): Promise<void> {
    for (const index of this.#releases.keys()) {
      await this.#rollback(index);
      await this.#look();
    }
  }

  #chosen(which: number): Field {
    return this.#shape[which % this.#shape.length] ?? assert.fail('there is no field');
  }

  #isFree(name: string, except?: Field): boolean {
    return !this.#shape.some((field) => field !== except && namesOf(field).includes(name));
  }

  /** A field that is sent by its name is merged. */
  #isName(name: string): boolean {
    return this.#shape.some((field) => field.name === name);
  }

  #replace(field: Field, by: Field): void {
    const former = [...new Set([...field.former, ...by.former, ...by.aliases])].filter((name) => name !== by.name);
    this.#shape = this.#shape.map((one) => (one === field ? { ...by, former } : one));
  }

  async #change(body: object, isTaken: boolean): Promise<void> {
    const { admin } = this.#spaces.bench.test.node();
    const outcome = await outcomeOf(admin.change(org, { api: `create-${this.#entity}`, body, force: true }));
    assert.equal(outcome, isTaken ? 'done' : 'validation_failed', JSON.stringify({ body, shape: this.#shape }));
  }

  async #rename(field: Field, name: string): Promise<void> {
    const aliases = [...field.aliases.filter((alias) => alias !== name), field.name];
    // A field that was called so already is meant, and stays.
    const isDone = this.#shape.some((one) => one.name === name && one !== field && namesOf(one).includes(field.name));
    assert.ok(!isDone, 'no two fields share a name');
    const isTaken = name !== field.name && this.#isFree(name, field) && aliases.length <= 4;
    await this.#change({ UpdateParams: [{ name, renamedFrom: field.name }] }, isTaken);
    if (isTaken) this.#replace(field, { ...field, name, aliases });
  }

  async #alias(field: Field, name: string): Promise<void> {
    const aliases = [...field.aliases.filter((alias) => alias !== name), name];
    const isTaken = name !== field.name && this.#isFree(name, field) && aliases.length <= 4;
    await this.#change({ UpdateParams: [{ name: field.name, aliases }] }, isTaken);
    if (isTaken) this.#replace(field, { ...field, aliases });
  }

  async #remove(field: Field): Promise<void> {
    if (this.#shape.length === 1) return;
    await this.#change({ removeFields: [field.name] }, true);
    this.#shape = this.#shape.filter((one) => one !== field);
    const { test } = this.#spaces.bench;
    for (let round = 0; round < 3; round++) {
      test.clock.advance(3000);
      await test.workOff();
    }
  }

  async #release(): Promise<void> {
    const { promotion } = this.#spaces.node();
    const published = await promotion.publish(command, { all: true }, { showsRecords: true }).catch(() => undefined);
    if (published === undefined) return;
    const { version } = await promotion.activate(command, { force: true });
    this.#releases.push({ version, shape: this.#shape });
    this.#live = this.#shape;
    await this.#settle();
  }

  async #rollback(which: number): Promise<void> {
    const release = this.#releases[which % this.#releases.length] ?? assert.fail('there is no release');
    await outcomeOf(this.#spaces.node().promotion.rollback(command, { version: release.version }));
    this.#live = release.shape;
    await this.#settle();
  }

  async #settle(): Promise<void> {
    for (let round = 0; round < 3; round++) {
      this.#spaces.clock.advance(6500);
      await this.#spaces.bench.prod.workOff();
    }
  }

  #call(): Promise<Call> {
    return this.#spaces.bench.prod.node().call(this.#entity);
  }

  async #write({ isLate, which, values }: Write): Promise<void> {
    const { runtime } = this.#spaces.bench.prod.node();
    const late = isLate ? this.#late : undefined;
    const call = late?.call ?? (await this.#call());
    const shape = late?.shape ?? this.#live;
    const body: Record<string, string> = {};
    for (const [index, field] of shape.entries()) {
      const sent = values[index];
      const names = [field.name, ...field.aliases];
      if (sent !== undefined) body[names[sent[0] % names.length] ?? ''] = sent[1];
    }
    const id = which === undefined ? undefined : [...this.#records.keys()][which % this.#records.size];
    const writing = id === undefined ? runtime.create(call, body) : runtime.update(call, { id, body });
    const written = await writing.catch((error: unknown) => {
      // A node that is late learns of the names that stand once its write is refused by the fence.
      assert.equal((error as { code?: string }).code, 'unknown_field');
      assert.ok(late !== undefined);
      return undefined;
    });
    if (written === undefined) return;
    const known = this.#records.get(written.data.id) ?? new Map<string, string>();
    const under = [shape, this.#live].map((one) => this.#written(known, one, body));
    const stored = await this.#stored(written.data.id);
    const found = under.find((one) => one !== undefined && isSame(one, stored));
    assert.ok(found !== undefined, JSON.stringify({ body, stored, shape, live: this.#live }));
    this.#records.set(written.data.id, found);
  }

  /** A record after a write under a shape; undefined where the shape does not know a name. */
  #written(
    known: ReadonlyMap<string, string>,
    shape: readonly Field[],
    body: Readonly<Record<string, string>>,
  ): Map<string, string> | undefined {
    const next = new Map(known);
    for (const [name, value] of Object.entries(body)) {
      const field = shape.find((one) => one.name === name || one.aliases.includes(name));
      if (field === undefined) return undefined;
      next.set(field.stored, value);
    }
    return next;
  }

  /** The fields of a record as they lie in the store. */
  async #stored(id: string): Promise<Readonly<Record<string, string>>> {
    const { entity, workspace } = await this.#call();
    const [item] = await workspace.scope.get([{ pk: `org#acme-main;data#${entity.name}`, sk: `${entity.name}#${id}` }]);
    const { id: _, created_at, updated_at, created_by, updated_by, ...fields } = JSON.parse(item?.value ?? '{}');
    return fields;
  }

  /** Records, filters and orders, by every name. */
  async #look(): Promise<void> {
    const node = this.#spaces.bench.prod.node();
    const call = await this.#call();
    const all = await listAll(node, call);
    assert.equal(all.length, this.#records.size);
    assert.ok(this.#live.every(({ name }) => !call.entity.hidden.includes(name)));
    for (const record of all) {
      const known = this.#records.get(record.id);
      for (const { name, stored } of this.#live) assert.equal(record[name], known?.get(stored));
    }
    for (const { name, aliases, stored } of this.#live)
      for (const one of [name, ...aliases]) {
        const found = await listAll(node, call, { [one]: 'x' });
        const expected = all.filter(({ id }) => this.#records.get(id)?.get(stored) === 'x');
        assert.deepEqual(new Set(found.map(({ id }) => id)), new Set(expected.map(({ id }) => id)));
        if (call.entity.fields.get(name)?.definition.index !== true) continue;
        const sorted = (await listAll(node, call, { sortby: one })).map((record) => record[name]);
        assert.equal(sorted.length, all.length);
        const present = sorted.filter((value) => value !== undefined);
        assert.ok(
          [present.toSorted(), present.toSorted().reverse()].some((order) => String(order) === String(present)),
        );
      }
    if (this.#late === undefined) return;
    for (const record of await listAll(node, this.#late.call))
      for (const { name, stored } of this.#late.shape)
        assert.equal(record[name], this.#records.get(record.id)?.get(stored));
  }
}

function isSame(one: ReadonlyMap<string, string>, other: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(other);
  return names.length === one.size && names.every((name) => one.get(name) === other[name]);
}
