/** Transactions that meet, on several nodes and beside other writes, against the same work done one after the other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTask } from 'node:timers/promises';
import { interceptStore } from '../../../store/intercepted-store.ts';
import type { CheckReads, Store } from '../../../store/port.ts';
import { roundsOn, storeKinds } from '../../../store/testing/open-test-store.ts';
import { derived, listAll, openBench, type RecordBench } from '../../../testing/record-bench.ts';
import { blockFailure } from '../../blocks/block-failure.ts';
import type { BlockRun, EntityStep, StepRun } from '../../blocks/block-run.ts';
import { storedRuns } from '../run-rows.ts';
import { openRunBench, type RunBench } from '../testing/run-bench.ts';

/** The task of one transaction. */
interface Task {
  readonly kind: keyof typeof programs;
  readonly room: string;
  readonly slot: number;
  readonly from: number;
  readonly to: number;
}

/** A task with the accounts it works on, and the values it has seen. */
interface ModelRequest {
  readonly task: Task;
  /** The ids of the accounts. */
  readonly accounts: readonly string[];
  seen: readonly unknown[];
}

interface Appointment {
  readonly id: string;
  readonly slot: number;
}

/** Does a step, which is named by its place alone. */
type Ask = <T>(step: object) => Promise<T>;

const rooms = ['a', 'b'];
const accountsMade = 3;
const startBalance = 10;

async function slotsIn(ask: Ask, room: string): Promise<readonly Appointment[]> {
  const parameters = new Map([
    ['room', room],
    ['pagesize', '50'],
  ]);
  const { items } = await ask<{ items: readonly Appointment[] }>({ type: 'list', entity: 'visit', parameters });
  return items.toSorted((one, other) => one.slot - other.slot);
}

function amountOf(ask: Ask, record: string): Promise<{ readonly n: number }> {
  return ask({ type: 'get', entity: 'account', record });
}

/** Each gives what it saw, from which follows what it did. */
const programs = {
  transfer: async (ask: Ask, { from, to, slot }: Task, accounts: ModelRequest['accounts']) => {
    const [source = '', target = ''] = [accounts[from], accounts[to]];
    const [have, had] = [await amountOf(ask, source), await amountOf(ask, target)];
    if (source === target || have.n < slot) throw blockFailure('poor');
    await ask({ type: 'update', entity: 'account', record: source, values: { n: have.n - slot } });
    await ask({ type: 'update', entity: 'account', record: target, values: { n: had.n + slot } });
    return [have.n, had.n, (await amountOf(ask, source)).n];
  },
  book: async (ask: Ask, { room, slot, from }: Task, accounts: ModelRequest['accounts']) => {
    const before = await slotsIn(ask, room);
    if (before.some((appointment) => appointment.slot === slot)) throw blockFailure('taken');
    const values = { room, slot, code: `${room}${slot}`, account: accounts[from] };
    await ask({ type: 'create', entity: 'visit', values });
    return [
      before.map((appointment) => appointment.slot),
      (await slotsIn(ask, room)).map((appointment) => appointment.slot),
    ];
  },
  clear: async (ask: Ask, { room }: Task) => {
    const before = await slotsIn(ask, room);
    const [first] = before;
    if (first === undefined) throw blockFailure('empty');
    await ask({ type: 'delete', entity: 'visit', record: first.id });
    return [
      before.map((appointment) => appointment.slot),
      (await slotsIn(ask, room)).map((appointment) => appointment.slot),
    ];
  },
  move: async (ask: Ask, { room }: Task) => {
    const appointments = await slotsIn(ask, room);
    const [first] = appointments;
    if (first === undefined) throw blockFailure('empty');
    const other = rooms.find((one) => one !== room) ?? '';
    const values = { room: other, slot: appointments.length + 20, code: null };
    await ask({ type: 'update', entity: 'visit', record: first.id, values });
    return [appointments.map(({ slot }) => slot), (await slotsIn(ask, other)).map(({ slot }) => slot)];
  },
  claim: async (ask: Ask, { slot }: Task) => {
    await ask({ type: 'create', entity: 'visit', values: { room: 'claimed', slot, code: `claimed${slot}` } });
    return [slot];
  },
  release: async (ask: Ask) => {
    const [first] = await slotsIn(ask, 'claimed');
    if (first === undefined) throw blockFailure('empty');
    await ask({ type: 'delete', entity: 'visit', record: first.id });
    return [first.slot];
  },
  total: async (ask: Ask, _task: Task, accounts: ModelRequest['accounts']) => {
    let sum = 0;
    for (const id of accounts) sum += (await amountOf(ask, id)).n;
    return [sum];
  },
};

/** The same, on what is left by those before. */
class Serial {
  readonly amounts = Array.from({ length: accountsMade }, () => startBalance);
  readonly appointments: { room: string; slot: number }[] = [];

  do({ kind, room, slot, from, to }: Task): readonly unknown[] {
    const before = this.slots(room);
    const [first] = before;
    switch (kind) {
      case 'transfer': {
        const [have = 0, had = 0] = [this.amounts[from], this.amounts[to]];
        this.amounts[from] = have - slot;
        this.amounts[to] = had + slot;
        return [have, had, have - slot];
      }
      case 'book':
        this.appointments.push({ room, slot });
        return [before, this.slots(room)];
      case 'clear':
        this.appointments.splice(this.#placeOf(room, first), 1);
        return [before, this.slots(room)];
      case 'move': {
        const other = rooms.find((one) => one !== room) ?? '';
        this.appointments[this.#placeOf(room, first)] = { room: other, slot: before.length + 20 };
        return [before, this.slots(other)];
      }
      case 'claim':
        assert.ok(!this.slots('claimed').includes(slot), 'a unique value is claimed once');
        this.appointments.push({ room: 'claimed', slot });
        return [slot];
      case 'release': {
        const [claimed] = this.slots('claimed');
        this.appointments.splice(this.#placeOf('claimed', claimed), 1);
        return [claimed];
      }
      case 'total':
        return [startBalance * accountsMade];
    }
  }

  slots(room: string): readonly number[] {
    const found = this.appointments.filter((appointment) => appointment.room === room).map(({ slot }) => slot);
    return found.toSorted((one, other) => one - other);
  }

  #placeOf(room: string, slot: number | undefined): number {
    return this.appointments.findIndex((appointment) => appointment.room === room && appointment.slot === slot);
  }
}

const work: StepRun = async (run: BlockRun, path) => {
  const evaluate = ({ input }: { readonly input?: unknown }) => input;
  const requested = run.evaluate({ expressions: 1, isOfNode: false, evaluate }) as ModelRequest;
  let steps = 0;
  const ask = (step: object) =>
    run.entity(`${path}.${String(steps++).padStart(4, '0')}`, { id: 'one', ...step } as EntityStep);
  requested.seen = await programs[requested.task.kind](ask as Ask, requested.task, requested.accounts);
  return { value: null };
};

/** The same order of chances for the same seed. */
function chances(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface Bench extends RunBench {
  readonly accounts: ModelRequest['accounts'];
}

async function openAccounts(records: RecordBench): Promise<Bench> {
  const { admin, runtime, ...node } = records.node();
  const n = { name: 'n', colType: 'integer' };
  await admin.define('acme', { entityName: 'account', UpdateParams: [n] });
  const account = { name: 'account', colType: 'guid', lookup: { entity: 'account', onDelete: 'restrict' } };
  await admin.define('acme', {
    entityName: 'visit',
    UpdateParams: [{ name: 'room', index: true }, { name: 'slot', colType: 'integer' }, { name: 'code' }, account],
    UniqueIndexes: [{ indexName: 'by_code', fields: ['code'] }],
  });
  await node.configs.refresh('acme');
  const call = await node.call('account');
  const made = Array.from({ length: accountsMade }, () => runtime.create(call, { n: startBalance }));
  const accounts = (await Promise.all(made)).map(({ data }) => data.id);
  return { accounts, ...(await openRunBench(records, { blocks: { work: { work } }, transactions: ['work'] })) };
}

/** Rejects where what was seen or is left is not what comes of the same transactions one after the other. */
async function assertSerial(
  bench: Bench,
  seed: number,
  change: (store: Store) => Store = (store) => store,
): Promise<number> {
  const { records } = bench;
  const chance = chances(seed);
  const kinds = Object.keys(programs) as Task['kind'][];
  const later = (store: Store) =>
    interceptStore(store, async (_operation, call) => {
      for (let turns = chance(3); turns > 0; turns--) await nextTask();
      return call();
    });
  const nodes = [1, 2, 3].map(() => bench.deps(change(later(records.opened.store))));
  const done: { readonly seq: number; readonly requested: ModelRequest }[] = [];
  const client = async (deps: (typeof nodes)[number]): Promise<void> => {
    for (let left = 4; left > 0; left--) {
      const kind = kinds[chance(kinds.length)] ?? 'total';
      const task = { kind, room: rooms[chance(2)] ?? '', slot: 1 + chance(4), from: chance(3), to: chance(3) };
      const requested: ModelRequest = { task, accounts: bench.accounts, seen: [] };
      const { run, refusal } = await bench.call(deps, 'work', requested);
      if (refusal !== undefined) continue;
      const row = await storedRuns.read(records.workspace.scope, run.id);
      if (row !== undefined) done.push({ seq: row.version, requested });
      else assert.deepEqual(requested.seen, [startBalance * accountsMade]);
    }
  };
  await Promise.all([...nodes, ...nodes].map(client));
  const serial = new Serial();
  for (const { seq, requested } of done.toSorted((one, other) => one.seq - other.seq))
    assert.deepEqual(requested.seen, serial.do(requested.task), `commit ${seq}: ${JSON.stringify(requested.task)}`);
  await assertLeft(bench, serial);
  return done.length;
}

async function assertLeft({ records, accounts }: Bench, serial: Serial): Promise<void> {
  const node = records.node();
  const found = await listAll(node, await node.call('account'));
  assert.deepEqual(
    accounts.map((id) => found.find((one) => one.id === id)?.n),
    serial.amounts,
  );
  const call = await node.call('visit');
  const appointments = await listAll(node, call);
  for (const room of [...rooms, 'claimed']) {
    const slots = appointments.filter((appointment) => appointment.room === room).map(({ slot }) => Number(slot));
    assert.deepEqual(
      slots.toSorted((one, other) => one - other),
      serial.slots(room),
    );
  }
  const { actual, expected } = await derived(records, call);
  assert.deepEqual(actual, expected);
}

for (const kind of storeKinds)
  test(`transactions that meet end as if they came one after the other (${kind})`, async (context) => {
    let done = 0;
    for (let round = roundsOn(kind, 24); round > 0; round--) {
      const bench = await openAccounts(await openBench(context, kind));
      done += await assertSerial(bench, round);
    }
    assert.ok(done > 0);
  });

/** A store that looks at a part alone of what was read. */
function forgetting(drop: (reads: CheckReads) => CheckReads): (store: Store) => Store {
  return (store) => ({
    ...store,
    scope: (name) => {
      const scope = store.scope(name);
      const commit: typeof scope.commit = (changes, options) =>
        scope.commit(
          changes.map((change) => (change.kind === 'check-reads' ? drop(change) : change)),
          options,
        );
      return { ...scope, commit };
    },
  });
}

const faults: readonly (readonly [name: string, drop: (reads: CheckReads) => CheckReads])[] = [
  ['ranges', (reads) => ({ ...reads, parts: [] })],
  ['absences', (reads) => ({ ...reads, items: reads.items.filter(({ version }) => version !== undefined) })],
  ['versions', (reads) => ({ ...reads, items: reads.items.filter(({ version }) => version === undefined) })],
];

for (const [name, drop] of faults)
  test(`the comparison finds a platform that does not check ${name}`, async (context) => {
    const rounds = async () => {
      for (let round = 1; round <= 50; round++) {
        const bench = await openAccounts(await openBench(context));
        await assertSerial(bench, round, forgetting(drop));
      }
    };
    await assert.rejects(rounds, assert.AssertionError);
  });
