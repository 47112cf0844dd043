/** Builders end runs and begin them again. */
import { type AuditContext, auditEntry } from '../../audit/audit-entry.ts';
import { findActiveWorkspace } from '../../iam/port.ts';
import { timestamp } from '../../lib/clock.ts';
import type { IdSource } from '../../lib/ids.ts';
import { invalidBody, notFound, Problem } from '../../lib/problem.ts';
import { type Store, TooLarge } from '../../store/port.ts';
import type { Row } from '../../store/table.ts';
import { attemptCommit, ignoreConflict, overtaken, transact } from '../../store/transact.ts';
import { type Environment, orgScopeName, workspaceScopeName } from '../../tenancy/port.ts';
import type { StoredBlocks } from '../blocks/stored-blocks.ts';
import { isValuePath } from '../blocks/value-path.ts';
import type { WorkMeter } from '../work-meter.ts';
import { closeRun, closingIn, type EndingDeps, putSummary, type RunWorkspace } from './close-run.ts';
import { assertMayBegin } from './run-bounds.ts';
import { dueRun, isOver, type Run, type RunRows, type RunStep, runSummaries, stepOf } from './run-rows.ts';

export interface ControlDeps extends EndingDeps {
  readonly blocks: StoredBlocks;
  readonly meter: WorkMeter;
  readonly newId: IdSource;
  /** Has what is due looked for now. */
  readonly wake: () => void;
}

/** A run, by the org and environment of the builder who names it. */
export interface RunName {
  readonly env: Environment;
  readonly orgCode: string;
  readonly id: string;
}

/**
 * Ends a run: the step that is being done is the last, or is undone with its commit.
 * @throws Problem `not_found`; `conflict` where it is over.
 */
export async function cancelRun(deps: ControlDeps, name: RunName, by: AuditContext): Promise<void> {
  const { clock } = deps;
  const place = await placeOf(deps, name);
  const { scope } = place;
  const rows = deps.runRows(scope);
  const { planned } = await transact(scope, async () => {
    const row = await stored(rows, name.id);
    const { value: run } = row;
    if (isOver(run)) throw new Problem('conflict', `the run is over: it is \`${run.state}\``);
    const now = clock.now();
    const cancelled: Run = { ...run, state: 'cancelled', ended_at: timestamp(now) };
    // It expires once it is closed, and its values are shown from then on: a step may write to encrypted fields until now.
    const put = rows.put(cancelled, { if: { version: row.version } });
    const told = auditEntry(by, { action: 'run.cancelled', ...audited(name, place) });
    return { run: cancelled, changes: [put, dueRun(run.id, now), told] };
  });
  await closeRun(closingIn(deps, name.env), { run: planned.run, workspace: place });
}

/**
 * Begins a run again from a step: the steps before it are not done again, and give what they gave. Of a transaction none
 * had an effect, so all are done again.
 * @param from the id or the path of a step; left out, the step that failed.
 * @throws Problem `not_found`; `conflict` where it is not over or did well, was redacted, or would delete a record that
 * it has deleted; `workspace_suspended`; `validation_failed`; `rate_limited`, `plan_limit_exceeded`.
 */
export async function retryRun(
  deps: ControlDeps,
  name: RunName,
  { by, from }: { readonly by: AuditContext; readonly from?: string | undefined },
): Promise<{ readonly id: string }> {
  const { clock, newId, wake, meter } = deps;
  const place = await placeOf(deps, name);
  const { scope, tenantCode } = place;
  await findActiveWorkspace(deps.stores, { ...name, tenantCode });
  const rows = deps.runRows(scope);
  const row = await stored(rows, name.id);
  const { value: run } = row;
  assertFailed(run);
  const { kept, redone, isWhole } = (await isTransaction(deps, name, run))
    ? nothingDone(from)
    : await stepsBefore(rows, run.id, from);
  assertCanBeDoneAgain(run, { redone, isWhole });
  await meter.check(name.orgCode, 'runs');
  await assertMayBegin(scope);
  const { ended_at: _ended, error: _error, returns: _returns, failed_passes: _failed, ...rest } = run;
  const now = clock.now();
  const id = newId();
  const again: Run = {
    ...rest,
    ...{ id, state: 'running', trigger: { kind: 'retry', id: run.id } },
    // What is done again has new keys; what failed keeps its key, so that a receiver does it once.
    root: redone === undefined ? (run.root ?? run.id) : id,
    started_at: timestamp(now),
    ...{ taken: 0, stalled: 0, steps: kept.length },
  };
  const puts = kept.map((step) => rows.insertStep({ run: id, path: step.sk }, stepOf(step)));
  const told = auditEntry(by, { action: 'run.retried', ...audited(name, place), detail: { run: id } });
  const changes = [rows.replace(row, { ...run, retried_as: id }), rows.insert(again), dueRun(id, now), told, ...puts];
  const attempt = await attemptCommit(scope, changes).catch((error: unknown) => {
    throw error instanceof TooLarge ? new Problem('conflict', 'the run has too many steps to be retried') : error;
  });
  if ('refusedAt' in attempt) throw overtaken();
  meter.add(name, 'runs', 1);
  // The run is there for who asks for it at once; its org learns of it in any case when it is taken up.
  await putSummary(closingIn(deps, name.env), place, again, 'absent').catch(ignoreConflict);
  wake();
  return { id };
}

/** @throws Problem `conflict`. */
function assertFailed({ state, retried_as: retriedAs }: Run): void {
  if (retriedAs !== undefined)
    throw new Problem('conflict', `the run was retried as \`${retriedAs}\``, { run: retriedAs });
  if (state !== 'failed' && state !== 'cancelled')
    throw new Problem('conflict', `only a run that failed or was cancelled can be retried: it is \`${state}\``);
}

/** @throws Problem `conflict`. */
function assertCanBeDoneAgain(
  { is_redacted: isRedacted }: Run,
  { redone, isWhole }: Pick<StepsBefore, 'redone' | 'isWhole'>,
): void {
  if (isRedacted === true || !isWhole)
    throw new Problem(
      'conflict',
      'the run wrote to encrypted fields, whose values are not kept, so it cannot be retried',
    );
  if (redone?.value.type === 'delete')
    throw new Problem(
      'conflict',
      `the step \`${redone.value.id}\` deleted its record and cannot do it again: begin at a later step`,
    );
}

type StepRow = Row<RunStep>;

interface StepsBefore {
  /** The steps that were done before the named one began, or that were refused while the run went on. */
  readonly kept: readonly StepRow[];
  /** The first of the others that was done, and will be done again. */
  readonly redone: StepRow | undefined;
  /** Whether no step at all wrote to encrypted fields. */
  readonly isWhole: boolean;
}

async function isTransaction({ blocks }: ControlDeps, { env, orgCode }: RunName, run: Run): Promise<boolean> {
  return (await blocks.at({ env, orgCode, name: run.block, version: run.version }))?.isTransaction === true;
}

/** @throws Problem `validation_failed` for a step. */
function nothingDone(from: string | undefined): StepsBefore {
  if (from === undefined) return { kept: [], redone: undefined, isWhole: true };
  const message = 'a transaction is retried as a whole';
  throw invalidBody([{ pointer: '/from', code: 'unknown_reference', message }]);
}

/** The steps of a run as a step divides them, by its id or its path. */
async function stepsBefore(stored: RunRows, id: string, from: string | undefined): Promise<StepsBefore> {
  const kept: StepRow[] = [];
  let redone: StepRow | undefined;
  let isWhole = true;
  let isBefore = true;
  for await (const rows of stored.steps(id))
    for (const row of rows) {
      const isStep = !isValuePath(row.sk);
      isBefore &&= !isStep || (row.value.id !== from && row.sk !== from);
      // A step that was being done when the run ended is done again.
      if (isBefore && (row.value.state === 'done' || row.value.caught === true)) kept.push(row);
      if (!isBefore && isStep && row.value.state === 'done') redone ??= row;
      isWhole &&= row.value.has_secrets !== true;
    }
  if (from === undefined || !isBefore) return { kept, redone, isWhole };
  const message = `the run has no step \`${from}\` that reached out`;
  throw invalidBody([{ pointer: '/from', code: 'unknown_reference', message }]);
}

async function stored(rows: RunRows, id: string): Promise<Row<Run>> {
  const row = await rows.read(id);
  if (row === undefined) throw notFound();
  return row;
}

interface RunLocation extends RunWorkspace {
  readonly store: Store;
}

/** @throws Problem `not_found`. */
async function placeOf({ stores }: ControlDeps, { env, orgCode, id }: RunName): Promise<RunLocation> {
  const store = stores[env];
  const summary = await runSummaries.read(store.scope(orgScopeName(orgCode)), id);
  if (summary === undefined) throw notFound();
  const tenantCode = summary.value.tenant_code;
  return { store, orgCode, tenantCode, scope: store.scope(workspaceScopeName(orgCode, tenantCode)) };
}

function audited({ env, id }: RunName, { tenantCode }: RunLocation) {
  return { target: { kind: 'run', id }, env, tenant_code: tenantCode };
}
