/** A round: a platform that delivers events is killed under load, started again, and its receiver held to what was written. */
import assert, { AssertionError } from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { makeEvent } from '../event-receiver.ts';
import { netMilliseconds } from '../eventually.ts';
import { type AppUser, defineEntity, foundedOrg, type StoredRecord } from '../org.ts';
import {
  type Platform,
  type StartOptions,
  startPlatform,
  temporaryDirectory,
  verifyToEnd,
  whyNoDataDir,
} from '../platform.ts';
import { refreshed } from '../workspaces.ts';
import { changeOrder, createOrder, createTogether, type OrderStage, removeOrder, untilGone } from './actors.ts';
import { ArrivalCheck, pathOf, type Write, writesIn } from './check-arrivals.ts';
import { byId, everyOrder, type Orders, repeat, settle } from './check-orders.ts';
import { copyWrites, holdCopies } from './event-copies.ts';
import { type FlakyReceiver, startFlakyReceiver } from './flaky-receiver.ts';
import { type Entry, Ledger } from './ledger.ts';
import { movedUser, orders } from './round.ts';

const writers = 4;
/** Few, so that many writes of one record wait at once. */
const ordersOfWriter = 6;

/** A platform that is killed again and again, with the receiver of its events. */
export class EventRun {
  readonly #chance: () => number;
  readonly #receiver: FlakyReceiver;
  readonly #check = new ArrivalCheck();
  #platform: Platform;
  #founder: AppUser;
  #orders: Orders = new Map();
  /** What was asked since the orders were read. */
  #entries: readonly Entry[] = [];
  #taken = 0;
  readonly #writes: Write[] = [];

  private constructor(chance: () => number, receiver: FlakyReceiver, platform: Platform, founder: AppUser) {
    this.#chance = chance;
    [this.#receiver, this.#platform, this.#founder] = [receiver, platform, founder];
  }

  static async begin(chance: () => number): Promise<EventRun> {
    const receiver = await startFlakyReceiver(chance);
    const platform = await startPlatform();
    const { org, founder } = await foundedOrg(platform);
    await defineEntity(org, orders);
    for (const event_optype of ['create', 'update', 'delete'])
      await makeEvent(org, `order-${event_optype}`, receiver.url + pathOf(`order.${event_optype}`), { event_optype });
    await copyWrites(org);
    return new EventRun(chance, receiver, platform, founder);
  }

  get dataDir(): string {
    return this.#platform.dataDir;
  }

  /** Writes, and so delivers, until a moment of chance. It comes after a first answer, however slow the machine is. */
  async writeUntilKilled(): Promise<void> {
    const chance = this.#chance;
    const ledger = new Ledger(join(temporaryDirectory(), 'ledger.jsonl'));
    const { promise: hasAnswer, resolve } = Promise.withResolvers<void>();
    const stage = { founder: this.#founder, ledger, chance };
    const all = [...this.#orders.values()];
    const writing = Array.from({ length: writers }, (_, writer) => {
      const own = all.filter((_order, index) => index % writers === writer);
      return untilGone(async () => {
        await writeSomething(stage, own);
        resolve();
      });
    });
    // One round in eight has time to deliver more than the first of it.
    const wait = chance() < 1 / 8 ? 80 + chance() * 400 : 5 + chance() * 75;
    await Promise.race([Promise.all(writing), hasAnswer.then(() => after(wait))]);
    await this.#platform.kill();
    await Promise.all(writing);
    this.#entries = ledger.read();
  }

  /** Starts the platform on what the one before has left. */
  async startAgain(options: Pick<StartOptions, 'nodeFlags'> = {}): Promise<void> {
    this.#platform = await startPlatform({ ...options, dataDir: this.dataDir });
    this.#founder = movedUser(this.#platform, this.#founder);
  }

  /** Holds the orders to what was answered, and the receiver to what was written. Throws an `AssertionError`. */
  async hold(): Promise<string> {
    const found = await everyOrder(this.#founder);
    const entries = this.#entries;
    this.#entries = [];
    const expected = expectedOf(this.#orders, entries, found);
    assert.deepEqual(byId(found), byId(expected), 'the orders are not those that were answered');
    this.#note(writesIn(this.#orders, entries, found));
    const open = entries.filter(({ answer }) => answer === undefined);
    for (const { command } of open) await repeat(this.#founder, command, found);
    this.#orders = open.length === 0 ? found : await everyOrder(this.#founder);
    // What was absent is made by the repetition, and by nothing else.
    const madeNow = [...this.#orders.values()].filter(({ id }) => !found.has(id));
    this.#note(madeNow.map(({ id, version }) => ({ op: 'create', record: id, version })));
    this.#takeArrivals();
    return `${entries.length - open.length} answered, ${open.length} not`;
  }

  /** Waits until each write has its event, and each event has written what it should. Throws an `AssertionError` where none comes for so long. */
  async drain(stuckMilliseconds = netMilliseconds): Promise<string> {
    this.#takeArrivals();
    for (let [last, at] = [this.#receiver.arrivals.length, Date.now()]; this.#check.missing > 0; ) {
      // wall time: a pause between two looks, of which none decides.
      await after(20);
      this.#takeArrivals();
      const { length } = this.#receiver.arrivals;
      if (length > last) [last, at] = [length, Date.now()];
      else if (Date.now() - at > stuckMilliseconds) this.#check.end();
    }
    await holdCopies(this.#founder, this.#writes, stuckMilliseconds);
    return this.report;
  }

  /** How many took place. */
  get writes(): number {
    return this.#writes.length;
  }

  get report(): string {
    return `${this.writes} writes, ${this.#receiver.arrivals.length} calls, ${this.#check.repeated} of them repeated, ${this.#check.missing} to come`;
  }

  /** Ends the platform, looks for drift in its files, and starts it again. */
  async verify(): Promise<void> {
    await this.stop();
    if (whyNoDataDir === false) {
      const { code, stdout, stderr } = await verifyToEnd(this.dataDir);
      assert.equal(code, 0, `the files have drifted:\n${stdout}${stderr}`);
    }
    await this.startAgain();
    this.#founder = await refreshed(this.#founder);
  }

  /** Ends the platform in order. */
  async stop(): Promise<void> {
    await this.#platform.terminate();
  }

  /** Ends all that this has begun. */
  async close(): Promise<void> {
    this.#receiver.close();
    await this.#platform.kill();
  }

  /** Throws an `AssertionError` where the last that arrived was not written. */
  async end(): Promise<void> {
    await this.stop();
    this.#takeArrivals();
    this.#check.end();
  }

  #note(writes: readonly Write[]): void {
    this.#writes.push(...writes);
    this.#check.expect(writes);
  }

  #takeArrivals(): void {
    const { arrivals } = this.#receiver;
    this.#check.take(arrivals.slice(this.#taken));
    this.#taken = arrivals.length;
  }
}

function expectedOf(before: Orders, entries: readonly Entry[], found: Orders): Orders {
  const expected = new Map(before);
  for (const { command, answer } of entries) {
    if (answer === undefined) settle(command, expected, found);
    for (const record of answer?.records ?? []) expected.set(record.id, record);
    if (command.kind === 'delete' && answer !== undefined) expected.delete(command.id);
  }
  return expected;
}

/** Each order has one writer, so what is known of it is one history. */
async function writeSomething(stage: OrderStage, own: StoredRecord[]): Promise<void> {
  const { chance } = stage;
  const place = Math.floor(chance() * own.length);
  const chosen = own[place];
  const dice = chance();
  const isCrowded = own.length >= ordersOfWriter;
  if (chosen === undefined || (!isCrowded && dice < 0.2)) own.push(...(await createOrder(stage)));
  else if (!isCrowded && dice < 0.25) own.push(...(await createTogether(stage)));
  else if (dice < (isCrowded ? 0.75 : 0.9)) own[place] = await changeOrder(stage, chosen);
  else {
    await removeOrder(stage, chosen);
    own.splice(place, 1);
  }
}

const roundsToFind = 10;

/** Whether rounds find it where a platform forgets events: those that do not would find nothing else either. */
export async function findLostEvents(chance: () => number): Promise<string> {
  const run = await EventRun.begin(chance);
  try {
    for (let round = 1; round <= roundsToFind; round++) {
      const finding = await findingOf(run);
      if (finding !== undefined) return `found in round ${round}, as ${finding}`;
    }
  } finally {
    await run.close();
  }
  throw new Error(`it was not found in ${roundsToFind} rounds`);
}

/** The first line of what is not as it should be, after a round on a platform that forgets events. */
async function findingOf(run: EventRun): Promise<string | undefined> {
  await run.stop();
  await run.startAgain({ nodeFlags: ['--import', new URL('./lose-events.ts', import.meta.url).href] });
  await run.writeUntilKilled();
  await run.startAgain();
  try {
    await run.hold();
    await run.drain(10_000);
    return undefined;
  } catch (error) {
    if (error instanceof AssertionError) return error.message.split('\n', 1)[0];
    throw error;
  }
}
