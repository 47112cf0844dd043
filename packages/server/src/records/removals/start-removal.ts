import { type ConfigReader, referencesTo } from '../../config/port.ts';
import type { Clock } from '../../lib/clock.ts';
import type { IdSource } from '../../lib/ids.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import { indexPrefix } from '../../schema/port.ts';
import type { Change, Put } from '../../store/port.ts';
import { type CommitPlan, transact } from '../../store/transact.ts';
import type { Environment, Workspace } from '../../tenancy/port.ts';
import { workItem } from '../../work/job.ts';
import { mayBeId } from '../listing/find-record.ts';
import type { StoredRecord } from '../record.ts';
import { danglingReference, stillBuilding } from '../references.ts';
import { putMarks, raise } from '../writing/fence.ts';
import { type DeleteInput, readDeletion } from '../writing/plan-writes.ts';
import type { BeforeEvents } from '../writing/record-events.ts';
import { callAt, explainClosed, type RecordCall } from '../writing/write-loop.ts';
import {
  cascadeEntities,
  isOver,
  jobOf,
  listed,
  liveRemoval,
  markedPlaces,
  marks,
  type RemovalJob,
  RemovalMarkConflict,
  type RemovalRow,
  type RemovalWork,
  removals,
  removeRecordJob,
} from './removal-row.ts';

/** Removals that are too large for one commit are jobs, one at a time in a workspace. */
export interface LargeRemovals {
  /**
   * The job that removes a record with all that follows; for the root of a job of the same user, that one.
   * @throws Problem `not_found`, `version_mismatch`, `dangling_reference`; `conflict` where another job is at work.
   */
  start(call: RecordCall, input: DeleteInput): Promise<RemovalJob>;
  /** With who started it. */
  find(workspace: Workspace, id: string): Promise<{ readonly job: RemovalJob; readonly user: string } | undefined>;
  /** Records that are removed by then stay removed. @throws Problem `not_found`; `conflict` where the job is over. */
  cancel(workspace: Workspace, id: string): Promise<RemovalJob>;
}

interface LargeRemovalsDeps {
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly clock: Clock;
  readonly newId: IdSource;
  readonly wake: () => void;
  readonly before?: BeforeEvents | undefined;
}

export function createLargeRemovals(deps: LargeRemovalsDeps): LargeRemovals {
  return {
    start: (call, input) => start(deps, call, input),
    find: async (workspace, id) => {
      const row = mayBeId(id) ? await removals.read(workspace.scope, id) : undefined;
      return row && { job: jobOf(id, row.value), user: row.value.user };
    },
    cancel: (workspace, id) => cancel(deps, workspace, id),
  };
}

interface StartPlan extends CommitPlan {
  readonly job: RemovalJob;
}

async function start(deps: LargeRemovalsDeps, recordCall: RecordCall, input: DeleteInput): Promise<RemovalJob> {
  const { workspace } = recordCall;
  const id = deps.newId();
  let call = recordCall;
  const plan = async (): Promise<StartPlan | 'overtaken'> => {
    const { record } = await readDeletion({ rules: new Map(), before: deps.before }, call, input);
    const current = await findLive(call, record);
    if (current !== undefined) return { changes: [], job: current };
    const fenced = await markFences(call);
    if (fenced === undefined) {
      const config = await deps.configs[workspace.env].refresh(workspace.orgCode);
      call = await callAt(call, config);
      return 'overtaken';
    }
    await assertRemovable(call, record);
    const row = newRow(call, record);
    return { job: jobOf(id, row), changes: [...fenced, ...startChanges(deps, { id, row, call, record })] };
  };
  const { planned, committed } = await transact(workspace.scope, plan).catch(explainClosed);
  if (committed !== undefined) deps.wake();
  return planned.job;
}

/** @throws Problem `conflict` where the job that is at work is about something else, or another user's. */
async function findLive(
  { workspace, entity, actor }: RecordCall,
  record: StoredRecord,
): Promise<RemovalJob | undefined> {
  const live = await liveRemoval.read(workspace.scope, undefined);
  const row = live && (await removals.read(workspace.scope, live.value.id));
  if (live === undefined || row === undefined) return undefined;
  const isSame = row.value.entity === entity.name && row.value.record === record.data.id;
  if (isSame && row.value.user === actor.userId && !isOver(row.value)) return jobOf(live.value.id, row.value);
  if (isSame) throw new RemovalMarkConflict();
  throw new Problem('conflict', 'another large removal is under way in this workspace: try again when it is done');
}

/** Undefined where newer configuration is in force. */
async function markFences({ workspace, config, entity }: RecordCall): Promise<readonly Put[] | undefined> {
  const puts: Put[] = [];
  for (const name of cascadeEntities(config, entity.name)) {
    const level = { generation: config.generation(name), configVersion: config.version };
    const fence = await raise(workspace, name, level);
    if (fence === 'newer') return undefined;
    puts.push(putMarks(name, fence, true));
  }
  return puts;
}

/** The facts that are known to refuse the removal without looking at more than its root. */
async function assertRemovable({ workspace, config, entity }: RecordCall, { data }: StoredRecord): Promise<void> {
  const names = cascadeEntities(config, entity.name);
  for (const name of names)
    for (const reference of referencesTo(config, name)) if (!reference.isReady) throw stillBuilding(reference);
  for (const reference of referencesTo(config, entity.name)) {
    // A holder that goes as well does not count, and who goes is not known yet.
    if (reference.onDelete !== 'restrict' || names.includes(reference.entity)) continue;
    const held = await workspace.scope.count(reference.pk, { prefix: indexPrefix(data.id) }, 1);
    if (held > 0) throw danglingReference(entity.name, reference);
  }
}

function newRow({ config, entity, actor }: RecordCall, { data }: StoredRecord): RemovalRow {
  return {
    kind: 'removal',
    state: 'queued',
    done: 0,
    total: 1,
    failed: [],
    entity: entity.name,
    record: data.id,
    user: actor.userId,
    phase: 'mark',
    cursor: { seq: 0 },
    listed: 1,
    marked: cascadeEntities(config, entity.name),
  };
}

interface StartedRemoval {
  readonly id: string;
  readonly row: RemovalRow;
  readonly call: RecordCall;
  readonly record: StoredRecord;
}

function startChanges({ clock }: LargeRemovalsDeps, { id, row, call, record }: StartedRemoval): readonly Change[] {
  const { workspace, entity } = call;
  const places = markedPlaces(entity, workspace, record);
  const { env, orgCode, tenantId, tenantCode } = workspace;
  const work: RemovalWork = { id, env, orgCode, tenantId, tenantCode };
  const now = clock.now();
  const marked = places.map((place) => marks.key(place).sk);
  return [
    { kind: 'check', ...record.key, if: { version: record.version } },
    ...places.map((place) => marks.insert(place, { seq: 0 })),
    listed.insert({ job: id, seq: 0 }, { entity: entity.name, id: record.data.id, marks: marked }),
    removals.insert(id, row),
    liveRemoval.insert(undefined, { id }),
    workItem(`${removeRecordJob};${id};${now}`, { job: removeRecordJob, ...work }, now),
  ];
}

async function cancel(deps: LargeRemovalsDeps, { scope }: Workspace, id: string): Promise<RemovalJob> {
  const plan = async (): Promise<StartPlan> => {
    const row = mayBeId(id) ? await removals.read(scope, id) : undefined;
    if (row === undefined) throw notFound();
    if (isOver(row.value)) throw new Problem('conflict', 'the job is over');
    const value: RemovalRow = { ...row.value, state: 'cancelled', phase: 'release' };
    return { changes: [removals.replace(row, value)], job: jobOf(id, value) };
  };
  const { planned } = await transact(scope, plan, { attemptsMax: Number.POSITIVE_INFINITY }).catch(explainClosed);
  deps.wake();
  return planned.job;
}
