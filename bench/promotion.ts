/**
 * How long a promotion of many entities takes, and whom it holds up.
 *
 * npm run bench -- promotion [--entities 500] [--rounds 5]
 *
 * Two orgs have a writer each in production, who creates one record after the other. In each round nothing is done for
 * a moment, then all entities go back to an earlier release, then forward again by an activation; the longest that a
 * writer waited for an answer in each of these is printed. The moment is as long as the activation before it took.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type AppUser, create, defineEntity, definition, type Org } from '../packages/acceptance/src/org.ts';
import { startPlatform } from '../packages/acceptance/src/platform.ts';
import {
  activate,
  change,
  deploy,
  diff,
  prodFounder,
  provisionedOrg,
  publish,
  rollback,
} from '../packages/acceptance/src/promotion.ts';
import { median } from './measure.ts';

const diffTarget = 1000;
const pauseTarget = 1000;

/** The longest that each writer waited, in milliseconds, and how long the whole took. */
interface Waited {
  readonly own: number;
  readonly other: number;
  readonly took: number;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { entities: { type: 'string', default: '500' }, rounds: { type: 'string', default: '5' } },
  });
  const count = Number(values.entities);
  const platform = await startPlatform();
  try {
    const own = await orgWith(platform, count);
    const other = await orgWith(platform, 1);
    const added = await timed(() => diff(own));
    for (const org of [own, other]) await deploy(org);
    const writers = { own: new Writer(await prodFounder(own)), other: new Writer(await prodFounder(other)) };
    for (let at = 0; at < count; at++) await change(own, `create-e${at}`, { UpdateParams: fields(at, 'second') });
    const modified = await timed(() => diff(own));
    await deploy(own);
    const rounds = await flip(own, writers, Number(values.rounds));
    for (const writer of Object.values(writers)) await writer.end();
    console.log(`Node ${process.version}, ${count} entities of 16 fields, ${values.rounds} rounds; milliseconds`);
    printFindings('diff, all added', [added], diffTarget);
    printFindings('diff, all modified', [modified], diffTarget);
    printFindings(
      'publication',
      rounds.map(({ publication }) => publication),
    );
    for (const what of ['nothing', 'rollback', 'activation'] as const) {
      const waited = rounds.map((round) => round[what]);
      if (what !== 'nothing')
        printFindings(
          what,
          waited.map(({ took }) => took),
        );
      printFindings(
        `longest wait of a writer of the org, ${what}`,
        waited.map((one) => one.own),
        pauseTarget,
      );
      printFindings(
        `longest wait of a writer of another org, ${what}`,
        waited.map((one) => one.other),
      );
    }
  } finally {
    await platform.terminate();
  }
}

async function orgWith(platform: Parameters<typeof provisionedOrg>[0], entities: number): Promise<Org> {
  const org = await provisionedOrg(platform);
  for (let at = 0; at < entities; at++) await defineEntity(org, definition(`e${at}`, fields(at, 'first')));
  return org;
}

/** Fifteen fields, three of them with an index, and a lookup of the entity before this one. */
function fields(at: number, state: string) {
  const plain = Array.from({ length: 15 }, (_, nr) => ({
    name: `field_${nr}`,
    validate: true,
    required: false,
    maxlength: state === 'first' ? 100 : 200,
    ...(nr < 3 ? { index: true } : {}),
  }));
  const parent = { name: 'parent_id', colType: 'guid', lookup: { entity: `e${at - 1}` } };
  return at === 0 ? plain : [...plain, parent];
}

type Writers = Readonly<Record<'own' | 'other', Writer>>;

async function flip(org: Org, writers: Writers, rounds: number) {
  const found = [];
  let took = 300;
  for (let round = 0; round < rounds; round++) {
    const nothing = await during(writers, () => pause(took));
    const back = await during(writers, () => rollback(org, 1));
    const publication = await timed(() => publish(org));
    const activation = await during(writers, () => activate(org));
    took = activation.took;
    found.push({ nothing, rollback: back, publication, activation });
  }
  return found;
}

async function during(writers: Writers, work: () => Promise<unknown>): Promise<Waited> {
  for (const writer of Object.values(writers)) writer.longest = 0;
  const took = await timed(work);
  for (const writer of Object.values(writers)) await writer.answered();
  return { own: writers.own.longest, other: writers.other.longest, took };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Creates records of the first entity, one after the other. */
class Writer {
  longest = 0;
  #isOver = false;
  #current: Promise<unknown> = Promise.resolve();
  readonly #ended: Promise<void>;

  constructor(user: AppUser) {
    this.#ended = this.#write(user);
  }

  end(): Promise<void> {
    this.#isOver = true;
    return this.#ended;
  }

  /** Resolves once what it asks for now is answered, and counted. */
  async answered(): Promise<void> {
    await this.#current;
  }

  async #write(user: AppUser): Promise<void> {
    while (!this.#isOver) {
      this.#current = this.#create(user);
      await this.#current;
    }
  }

  async #create(user: AppUser): Promise<void> {
    const waited = await timed(() => create(user, 'e0', { field_0: 'a', field_1: 'b' }));
    this.longest = Math.max(this.longest, waited);
  }
}

/** The least, the median and the most. */
function printFindings(what: string, milliseconds: readonly number[], target?: number): void {
  const [least, most] = [Math.min(...milliseconds), Math.max(...milliseconds)];
  const figures = [least, median(milliseconds), most].map((figure) => figure.toFixed(0)).join(' / ');
  const verdict = target === undefined ? '' : `, ${most <= target ? 'within' : 'over'} the target of ${target}`;
  console.log(`${what}: ${figures}${verdict}`);
}

await main();
