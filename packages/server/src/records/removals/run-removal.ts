/** The work on a large removal: steps of bounded length, each in one commit that also says how far the job is. */
import { type ConfigReader, type ConfigSet, referencesTo } from '../../config/port.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import { type Scope, type Store, TooLarge } from '../../store/port.ts';
import { asRead, type Row } from '../../store/table.ts';
import { type CommitPlan, transact, tryCommit } from '../../store/transact.ts';
import { type Environment, shareKeyOf, type Workspace, workspaceScopeName } from '../../tenancy/port.ts';
import { defineJob, type JobSteps } from '../../work/job.ts';
import { createFences, endMarks, putMarks, raise } from '../writing/fence.ts';
import type { PlannedChange } from '../writing/planned-change.ts';
import type { RecordEvents } from '../writing/record-events.ts';
import { createWriteLoop, type WriteLoop } from '../writing/write-loop.ts';
import { failedRow, NotReady, planCheck, planClears, planMarks, type RemovalStep } from './pass.ts';
import {
  cascadeEntities,
  keptMilliseconds,
  listed,
  listPartition,
  liveRemoval,
  type RemovalPhase,
  type RemovalRow,
  type RemovalWork,
  removals,
  removeMark,
  removeRecordJob,
} from './removal-row.ts';
import { planListedRemovals } from './remove-listed.ts';

export interface RunRemovalDeps {
  readonly store: Store;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly clock: Clock;
  readonly events?: RecordEvents | undefined;
  /** The number of records that one commit is about at most. */
  readonly recordsPerStep?: number;
}

const recordsPerStepDefault = 200;

/**
 * Goes on with a removal until it is over. It may be ended at any step, and two may work on it at once: each step is held to
 * the row that it was planned on. It gives no way to calls: until it is over, it keeps others of the workspace from being begun.
 */
export const removalJob = defineJob({
  name: removeRecordJob,
  isUrgent: true,
  begin: (deps: RunRemovalDeps, work: RemovalWork): JobSteps<Row<RemovalRow>> => {
    const { configs, events, recordsPerStep = recordsPerStepDefault } = deps;
    const scope = deps.store.scope(workspaceScopeName(work.orgCode, work.tenantCode));
    const writeLoop = createWriteLoop({ configs, fences: createFences() });
    const workspace = { ...work, scope };
    const run: RemovalRun = {
      ...{ deps, work, workspace, recordsMax: recordsPerStep },
      writeLoop: events?.around(writeLoop) ?? writeLoop,
    };
    return {
      row: async () => {
        const row = await removals.read(scope, work.id);
        const live = row && (await liveRemoval.read(scope, undefined));
        return live?.value.id === work.id ? row : undefined;
      },
      step: (row) => takeStep(run, row),
    };
  },
});

interface RemovalRun {
  readonly deps: RunRemovalDeps;
  readonly work: RemovalWork;
  readonly workspace: Workspace;
  readonly writeLoop: WriteLoop;
  /** The number of records that a step is about at most. */
  recordsMax: number;
}

type StepOutcome = 'more' | 'wait' | 'over';

/** Another has taken a step meanwhile, or the job was cancelled. */
class RemovalOvertaken extends Error {}

/** Cascades reach entities, as the definitions are now, whose fences do not say that there are marks. */
class MoreEntities extends Error {}

const planners: Readonly<
  Record<Exclude<RemovalPhase, 'release'>, (step: RemovalStep) => Promise<readonly PlannedChange[]>>
> = { mark: planMarks, check: planCheck, clear: planClears, remove: planListedRemovals };

async function takeStep(run: RemovalRun, row: Row<RemovalRow>): Promise<StepOutcome> {
  const { phase } = row.value;
  if (phase === 'release') return release(run, row);
  try {
    await write(run, row.value, phase);
    return 'more';
  } catch (error) {
    if (error instanceof RemovalOvertaken) return 'more';
    if (error instanceof NotReady) return 'wait';
    if (error instanceof MoreEntities) return markMoreEntities(run);
    if (error instanceof TooLarge && run.recordsMax > 1) {
      // Records with many words are more than one commit takes long before they are many.
      run.recordsMax = Math.floor(run.recordsMax / 2);
      return 'more';
    }
    if (!(error instanceof Problem)) throw error;
    // Others are in the way, or the workspace is no more.
    if (error.code === 'conflict' || error.code === 'not_found') return 'wait';
    await fail(run, error);
    return 'more';
  }
}

/** Writes a step by the newest configuration, as a request would write. */
async function write(
  run: RemovalRun,
  { marked, user }: RemovalRow,
  phase: Exclude<RemovalPhase, 'release'>,
): Promise<void> {
  const { deps, work, workspace, writeLoop, recordsMax } = run;
  const { scope } = workspace;
  const actor = { userId: user, claims: {} };
  const config = await deps.configs[work.env].refresh(work.orgCode);
  const names: string[] = [];
  // An entity that was removed meanwhile has its records purged.
  for (const name of marked) if ((await config.entity(name)) !== undefined) names.push(name);
  await writeLoop({ workspace, actor, config, isRemovalJob: true }, names, async (current: ConfigSet) => {
    const row = await removals.read(scope, work.id);
    if (row?.value.phase !== phase) throw new RemovalOvertaken();
    const reached = cascadeEntities(current, row.value.entity);
    if (reached.some((name) => !row.value.marked.includes(name))) throw new MoreEntities();
    const at = timestamp(deps.clock.now());
    const pause = createYielder(shareKeyOf(workspace));
    const context = { workspace, actor, config: current, isRemovalJob: true as const };
    const step = { ...context, id: work.id, row, recordsMax, at, events: deps.events, pause };
    return { changes: await planners[phase](step), touches: holdersNames(current, reached) };
  });
}

/** The entities whose records a step may change beside those that cascades reach. */
function holdersNames(config: ConfigSet, reached: readonly string[]): ReadonlySet<string> {
  const names = reached.flatMap((name) => referencesTo(config, name).map(({ entity }) => entity));
  return new Set(names);
}

async function markMoreEntities({ deps, work, workspace }: RemovalRun): Promise<StepOutcome> {
  const { scope } = workspace;
  const config = await deps.configs[work.env].refresh(work.orgCode);
  const plan = async (): Promise<CommitPlan | 'overtaken'> => {
    const row = await removals.read(scope, work.id);
    if (row === undefined || row.value.phase === 'release') return { changes: [] };
    const added = cascadeEntities(config, row.value.entity).filter((name) => !row.value.marked.includes(name));
    if (added.length === 0) return { changes: [] };
    const puts = [];
    for (const name of added) {
      const fence = await raise(workspace, name, {
        generation: config.generation(name),
        configVersion: config.version,
      });
      // Read again with the newer configuration in the next step.
      if (fence === 'newer') return { changes: [] };
      puts.push(putMarks(name, fence, true));
    }
    return { changes: [...puts, removals.replace(row, { ...row.value, marked: [...row.value.marked, ...added] })] };
  };
  await transact(scope, plan, { priority: 'background' });
  return 'more';
}

async function fail({ work, workspace: { scope } }: RemovalRun, problem: Problem): Promise<void> {
  const plan = async (): Promise<CommitPlan> => {
    const row = await removals.read(scope, work.id);
    if (row === undefined || row.value.phase === 'release') return { changes: [] };
    const { entity, record: id } = row.value;
    return { changes: [removals.replace(row, failedRow(row.value, { entity, id }, problem))] };
  };
  await transact(scope, plan, { priority: 'background' });
}

/** Takes away marks, and once there are none, ends the job. */
async function release(
  { deps, work, recordsMax, workspace: { scope } }: RemovalRun,
  row: Row<RemovalRow>,
): Promise<StepOutcome> {
  const left = await listed.range(scope, listPartition(work.id), { limit: recordsMax });
  if (left.length > 0) {
    const unmarked = left.flatMap(({ sk, value }) => [
      ...value.marks.map(removeMark),
      listed.remove({ job: work.id, seq: Number(sk) }, 'any'),
    ]);
    // If another has taken a step meanwhile, the next one is read again.
    await tryCommit(scope, [removals.replace(row, row.value), ...unmarked], { priority: 'background' });
    return 'more';
  }
  await transact(scope, () => endPlan(deps, scope, work.id), { priority: 'background' });
  return 'over';
}

async function endPlan({ clock }: RunRemovalDeps, scope: Scope, id: string): Promise<CommitPlan> {
  const row = await removals.read(scope, id);
  const live = await liveRemoval.read(scope, undefined);
  if (row === undefined || live?.value.id !== id) return { changes: [] };
  const isDone = row.value.state === 'running';
  const ended = isDone ? { ...row.value, state: 'done' as const, total: row.value.done } : row.value;
  const due = { at: clock.now() + keptMilliseconds, queue: 'expire' } as const;
  return {
    changes: [
      ...(await endMarks(scope, row.value.marked)),
      liveRemoval.remove(undefined, { version: live.version }),
      removals.put(id, ended, { if: asRead(row), due }),
    ],
  };
}
