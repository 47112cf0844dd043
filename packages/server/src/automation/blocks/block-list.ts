/** The live logic blocks of an org, as its builders list them. */
import type { runsApi } from '@freehold/contract/management/runs';
import type { ReplyOf } from '@freehold/contract/route';
import { type ConfigReader, itemBodies, itemsOfKind, type LiveItem } from '../../config/port.ts';
import { compareBytes } from '../../lib/byte-order.ts';
import type { Cursors } from '../../records/port.ts';
import type { Scope, Store } from '../../store/port.ts';
import { type Environment, orgScopeName } from '../../tenancy/port.ts';
import type { LiveEvents, OrgPlace } from '../config/live-events.ts';
import type { LogicBlockContent } from '../kinds/logicblock.ts';
import { type RunSummary, runSummaries } from '../runs/run-rows.ts';
import { allSchedules } from '../schedules/schedule-rows.ts';

export type BlockPage = ReplyOf<typeof runsApi.listLogicBlocks>;

export interface BlockListDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly cursors: Cursors;
  readonly liveEvents: Pick<LiveEvents, 'byBlock'>;
}

export interface BlockQuery {
  /** What the names contain. */
  readonly q: string;
  readonly pageSize: number;
  readonly nexttoken: string | undefined;
}

/** @throws Problem `invalid_cursor`. */
export async function listBlocks(
  { stores, configs, cursors, liveEvents }: BlockListDeps,
  place: OrgPlace,
  { q, pageSize, nexttoken }: BlockQuery,
): Promise<BlockPage> {
  const { env, orgCode } = place;
  const binding = ['logic blocks', env, orgCode, q];
  const after = nexttoken === undefined ? '' : cursors.open(nexttoken, binding);
  const scope = stores[env].scope(orgScopeName(orgCode));
  const config = await configs[env].refresh(orgCode);
  const found = itemsOfKind(config, 'logicblock')
    .filter(({ name }) => name.includes(q) && compareBytes(name, after) > 0)
    .toSorted((left, right) => compareBytes(left.name, right.name));
  const page = found.slice(0, pageSize);
  const events = await liveEvents.byBlock(config, place);
  const schedules = await allSchedules(scope);
  const last = await lastRuns(scope);
  const items = (await factsOf(scope, page)).map(({ schedule, ...facts }) => ({
    ...facts,
    schedule: schedule === null ? null : { ...schedule, paused: schedules.get(facts.name)?.value.paused === true },
    events: events.get(facts.name) ?? [],
    last_run: last.get(facts.name) ?? null,
  }));
  const { name: lastName } = page.at(-1) ?? {};
  const hasMore = lastName !== undefined && found.length > page.length;
  return { items, nexttoken: hasMore ? cursors.seal(lastName, binding) : null };
}

/** A body has at most 256 KB. */
const bodiesPerRead = 10;

/** What the contents of blocks say. They are read some at a time, and let go of. */
async function factsOf(scope: Scope, items: readonly LiveItem<'logicblock'>[]) {
  const found: ReturnType<typeof factsIn>[] = [];
  for (let start = 0; start < items.length; start += bodiesPerRead) {
    const part = items.slice(start, start + bodiesPerRead);
    const bodies = await itemBodies.readMany(scope, part);
    for (const [index, item] of part.entries()) {
      const body = bodies[index];
      if (body === undefined) throw new Error(`a version of the logic block ${item.name} is missing`);
      found.push(factsIn(item, body.value as LogicBlockContent));
    }
  }
  return found;
}

function factsIn({ name, version }: LiveItem<'logicblock'>, content: LogicBlockContent) {
  const { description, run_as = 'caller', transaction = false, steps, schedule, hook } = content;
  // Without policies of its own a block is not begun without a caller.
  const isOfApp = run_as === 'app';
  return {
    ...{ name, version, run_as, transaction, steps: steps.length },
    ...(description === undefined ? {} : { description }),
    schedule: schedule === undefined || !isOfApp ? null : { cron: schedule.cron, timezone: schedule.timezone },
    hook: hook !== undefined && isOfApp,
  };
}

const runsRead = 1000;
const runsPerRead = 200;

/** The latest run of each block among the last runs of the org: ids are in the order of their times. */
async function lastRuns(scope: Scope): Promise<ReadonlyMap<string, Pick<RunSummary, 'id' | 'state' | 'started_at'>>> {
  const last = new Map<string, Pick<RunSummary, 'id' | 'state' | 'started_at'>>();
  let before: string | undefined;
  for (let read = 0; read < runsRead; ) {
    const rows = await runSummaries.range(scope, runSummaries.key('').pk, {
      ...{ reverse: true, limit: runsPerRead },
      ...(before === undefined ? {} : { before }),
    });
    for (const {
      sk,
      value: { id, block, state, started_at },
    } of rows) {
      before = sk;
      if (!last.has(block)) last.set(block, { id, state, started_at });
    }
    read += rows.length;
    if (rows.length < runsPerRead) break;
  }
  return last;
}
