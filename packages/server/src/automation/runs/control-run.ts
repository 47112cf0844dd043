/** Builders begin runs, end them and begin them again. */
import { type AuditContext, auditEntry } from '../../audit/audit-entry.ts';
import { timestamp } from '../../lib/clock.ts';
import { invalidBody, notFound, Problem } from '../../lib/problem.ts';
import { TooLarge } from '../../store/port.ts';
import type { Row } from '../../store/table.ts';
import { attemptCommit, ignoreConflict, overtaken, transact } from '../../store/transact.ts';
import { findActiveWorkspace, type Workspace } from '../../tenancy/port.ts';
import { type OrgPlace, orgScope, type SharedDeps, type TenantPlace, workspaceScope } from '../automation-deps.ts';
import { isValuePath } from '../blocks/block-run.ts';
import { checkInput } from '../blocks/interpret.ts';
import { liveBlock, type StoredBlocks } from '../blocks/stored-blocks.ts';
import { closeRun, type EndingDeps, putSummary, type RunWorkspace } from './execute-run.ts';
import { assertMayStart } from './run-bounds.ts';
import { type BlockListDeps, listBlocks, listRuns, ownRun, type RunLogDeps, type RunName, showRun } from './run-log.ts';
import {
  appUser,
  dueRun,
  isOver,
  type Run,
  type RunRows,
  type RunStep,
  type RunUser,
  runSummaries,
  stepOf,
} from './run-rows.ts';
import type { AutomationWork } from './runs.ts';

/** The logic blocks and runs of an org, as its builders see and change them. */
export function openRuns(deps: ControlDeps & RunCommandDeps & RunLogDeps & BlockListDeps) {
  return {
    blocks: (place: OrgPlace, query: Parameters<typeof listBlocks>[2]) => listBlocks(deps, place, query),
    list: (args: Parameters<typeof listRuns>[1]) => listRuns(deps, args),
    show: (name: RunName) => showRun(deps, name),
    cancel: (name: RunName, by: AuditContext) => cancelRun(deps, name, by),
    retry: (name: RunName, args: Parameters<typeof retryRun>[2]) => retryRun(deps, name, args),
    begin: (run: RunCommand) => beginRun(deps, run),
    /** A run that a user has begun by a call. */
    own: (workspace: Workspace, id: string, who: RunUser) => ownRun(deps.runRows, workspace, { id, who }),
  };
}

interface RunCommand extends TenantPlace {
  readonly block: string;
  readonly input: unknown;
  readonly by: AuditContext;
}

interface RunCommandDeps extends EndingDeps, Pick<SharedDeps, 'configs' | 'newId'> {
  readonly blocks: StoredBlocks;
  readonly start: AutomationWork['start'];
}

/**
 * Begins a run of a live block, which nothing waits for: in the name of the builder in the test environment, and of the
 * app itself in production.
 * @throws Problem `not_found`; `workspace_suspended`; `validation_failed`; `conflict` in production for a block that runs by the rights of its
 * caller; `rate_limited`; `plan_limit_exceeded`.
 */
async function beginRun(deps: RunCommandDeps, run: RunCommand): Promise<{ readonly run: string }> {
  const { stores, configs, blocks, clock } = deps;
  const { env, orgCode, block: name, input, by } = run;
  const workspace = await findActiveWorkspace(stores, run);
  const config = await configs[env].refresh(orgCode);
  const block = await liveBlock(blocks, { config, place: run }, name);
  if (block === undefined) throw notFound();
  if (env === 'prod' && block.app === undefined)
    throw new Problem(
      'conflict',
      'builders have no rights in production: there only a block with `run_as: "app"` is begun',
    );
  checkInput(block, input, '/input');
  const id = deps.newId();
  const event = { id: by.request_id, type: 'logicblock.run', timestamp: timestamp(clock.now()), depth: 1, path: '' };
  const { id: builder } = by.actor;
  const user: RunUser = env === 'prod' ? appUser : { id: builder, kind: 'builder', act: builder };
  const ask = {
    ...{ workspace, config, block: name, input, given: { event }, id, user },
    trigger: { kind: 'manual', id: by.request_id } as const,
    origin: { depth: 0, chain: [] },
  };
  const target = { kind: 'run', id, name };
  const entries = auditEntry(by, { action: 'run.begun', target, env, tenant_code: workspace.tenantCode });
  await deps.start(ask, [entries]);
  // It is there for a builder who asks for it at once. What took it up meanwhile knows more of it.
  const row = await deps.runRows(workspace.scope).read(id);
  if (row !== undefined) await putSummary(deps, workspace, row.value, 'absent').catch(ignoreConflict);
  return { run: id };
}

interface ControlDeps extends EndingDeps, Pick<SharedDeps, 'meter' | 'newId' | 'wake'> {
  readonly blocks: StoredBlocks;
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
    const entries = auditEntry(by, { action: 'run.cancelled', ...audited(name.id, place) });
    return { run: cancelled, changes: [put, dueRun(run.id, now), entries] };
  });
  await closeRun(deps, place, { run: planned.run });
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
  await assertMayStart(scope);
  const { ended_at: _ended, error: _error, returns: _returns, failed_passes: _failed, ...rest } = run;
  const now = clock.now();
  const id = newId();
  const again: Run = {
    ...rest,
    ...{ id, state: 'running', trigger: { kind: 'retry', id: run.id } },
    // Steps done again have new keys; a failed step keeps its key, so that a receiver does it once.
    root: redone === undefined ? (run.root ?? run.id) : id,
    started_at: timestamp(now),
    ...{ taken: 0, stalled: 0, steps: kept.length },
  };
  const puts = kept.map((step) => rows.insertStep({ run: id, path: step.sk }, stepOf(step)));
  const entries = auditEntry(by, { action: 'run.retried', ...audited(name.id, place), detail: { run: id } });
  const changes = [
    rows.replace(row, { ...run, retried_as: id }),
    rows.insert(again),
    dueRun(id, now),
    entries,
    ...puts,
  ];
  const attempt = await attemptCommit(scope, changes).catch((error: unknown) => {
    throw error instanceof TooLarge ? new Problem('conflict', 'the run has too many steps to be retried') : error;
  });
  if ('refusedAt' in attempt) throw overtaken();
  meter.add(name, 'runs', 1);
  // The run is there for who asks for it at once; its org learns of it in any case when it is taken up.
  await putSummary(deps, place, again, 'absent').catch(ignoreConflict);
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

type StepsBefore = Awaited<ReturnType<typeof stepsBefore>>;

async function isTransaction({ blocks }: ControlDeps, { env, orgCode }: RunName, run: Run): Promise<boolean> {
  return (await blocks.at({ env, orgCode, name: run.block, version: run.version }))?.isTransaction === true;
}

/** @throws Problem `validation_failed` for a step. */
function nothingDone(from: string | undefined): StepsBefore {
  if (from === undefined) return { kept: [], redone: undefined, isWhole: true };
  const message = 'a transaction is retried as a whole';
  throw invalidBody([{ pointer: '/from', code: 'unknown_reference', message }]);
}

/**
 * The steps of a run as a step divides them, by its id or its path. `kept` are those that were done before it began, or that
 * were refused while the run went on; `redone` is the first of the others that was done, and will be done again.
 */
async function stepsBefore(stored: RunRows, id: string, from: string | undefined) {
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

/** @throws Problem `not_found`. */
async function placeOf(deps: ControlDeps, name: RunName): Promise<RunWorkspace> {
  const summary = await runSummaries.read(orgScope(deps, name), name.id);
  if (summary === undefined) throw notFound();
  const tenantCode = summary.value.tenant_code;
  const { env, orgCode } = name;
  return { env, orgCode, tenantCode, scope: workspaceScope(deps, name, tenantCode) };
}

function audited(id: string, { env, tenantCode }: RunWorkspace) {
  return { target: { kind: 'run', id }, env, tenant_code: tenantCode };
}
