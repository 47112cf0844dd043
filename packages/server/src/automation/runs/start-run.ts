import type { ConfigSet } from '../../config/port.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import type { EventOrigin } from '../../records/port.ts';
import type { Change } from '../../store/port.ts';
import { attemptCommit, overtaken } from '../../store/transact.ts';
import type { Workspace } from '../../tenancy/port.ts';
import type { StoredBlocks } from '../blocks/stored-blocks.ts';
import type { WorkMeter } from '../work-meter.ts';
import { pinnedVersions } from './pinned-blocks.ts';
import { assertCanBegin, assertMayBegin } from './run-bounds.ts';
import {
  dueRun,
  type OpenRunRows,
  type Run,
  type RunGiven,
  type RunTrigger,
  type RunUser,
  storedRuns,
} from './run-rows.ts';

/** What begins a run. */
export interface RunAsk {
  readonly workspace: Workspace;
  /** The configuration whose blocks the run keeps to. */
  readonly config: ConfigSet;
  readonly block: string;
  readonly trigger: RunTrigger;
  readonly input: unknown;
  readonly given?: RunGiven;
  /** A UUIDv7. The same id is the same run. */
  readonly id: string;
  /** What made it: nothing of an event has a depth of 0. */
  readonly origin: EventOrigin;
  readonly user: RunUser;
}

export interface StartRunDeps {
  readonly clock: Clock;
  readonly blocks: StoredBlocks;
}

export interface BeginDeps extends StartRunDeps {
  readonly runRows: OpenRunRows;
  readonly meter: WorkMeter;
}

/** @throws Problem `not_found` where there is no live block of the name. */
export async function newRun({ clock, blocks }: StartRunDeps, ask: RunAsk): Promise<Run> {
  const { workspace, config, block, trigger, input, given, id, origin, user } = ask;
  const pinned = await pinnedVersions(blocks, config, { place: workspace, name: block });
  const version = pinned[block];
  if (version === undefined) throw notFound();
  const now = clock.now();
  return {
    ...{ id, block, trigger, input, user },
    ...(given === undefined ? {} : { given }),
    version,
    blocks: pinned,
    state: 'running',
    ...{ depth: origin.depth, chain: origin.chain },
    started_at: timestamp(now),
    now,
    ...{ taken: 0, stalled: 0, steps: 0 },
  };
}

/**
 * Stores a run that a process takes up at once.
 * @param along what else is in the commit.
 * @throws Problem `conflict` where the id is that of a run of another block, or of another version of it; `rate_limited`,
 * `plan_limit_exceeded`, which may be gone later.
 */
export async function startRun(
  deps: BeginDeps,
  ask: RunAsk,
  along: readonly Change[] = [],
): Promise<{ readonly id: string; readonly isNew: boolean }> {
  const { scope } = ask.workspace;
  const run = await newRun(deps, ask);
  assertCanBegin(run);
  const { id } = run;
  for (;;) {
    const begun = (await storedRuns.read(scope, id))?.value;
    if (begun !== undefined) {
      if (begun.block === run.block && begun.version === run.version) return { id, isNew: false };
      throw new Problem('conflict', `run \`${id}\` is one of another block, or of another version of it`);
    }
    await deps.meter.check(ask.workspace.orgCode, 'runs');
    await assertMayBegin(scope);
    const changes = [deps.runRows(scope).insert(run), dueRun(id, deps.clock.now()), ...along];
    const attempt = await attemptCommit(scope, changes);
    if ('committed' in attempt) {
      deps.meter.add(ask.workspace, 'runs', 1);
      return { id, isNew: true };
    }
    if (attempt.refusedAt > 0) throw overtaken();
  }
}
