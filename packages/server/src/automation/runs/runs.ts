import type { IdSource } from '../../lib/ids.ts';
import { Problem } from '../../lib/problem.ts';
import type { RecordRuntime } from '../../records/port.ts';
import type { Row } from '../../store/table.ts';
import { ignoreConflict } from '../../store/transact.ts';
import { orgScopeName, type Workspace } from '../../tenancy/port.ts';
import { Lease, LeaseLost } from '../../work/lease.ts';
import type { DueVisit, DueWork } from '../../work/visits.ts';
import { blockFailure } from '../blocks/block-failure.ts';
import type { BlockCaller } from '../blocks/caller-effects.ts';
import type { StoredBlocks } from '../blocks/stored-blocks.ts';
import { chainDepthMax, chainRefusal } from '../chain-bounds.ts';
import { readyWorkspace } from '../ready-workspace.ts';
import type { ScriptRunner } from '../scripts/script-runner.ts';
import type { Suspensions } from '../suspensions.ts';
import { closeRun, closingIn, type EndingDeps, putSummary } from './close-run.ts';
import { type Executed, errorOf, executeRun, failRun } from './execute-run.ts';
import { leaseMilliseconds, RunJournal, runLease } from './journal.ts';
import type { RunCallers } from './run-caller.ts';
import type { OutsideDeps } from './run-effects.ts';
import { countSteps, dueRun, isOver, type Run, runOfDue, storedRuns } from './run-rows.ts';
import { newRun, type RunAsk } from './start-run.ts';
import type { TransactionQueue } from './transactions/transaction-queue.ts';

export interface RunsDeps extends EndingDeps, OutsideDeps {
  /** Names the process in what it leases. */
  readonly nodeId: string;
  readonly runtime: RecordRuntime;
  readonly newId: IdSource;
  readonly callers: RunCallers;
  readonly blocks: StoredBlocks;
  readonly scripts: Pick<ScriptRunner, 'run'>;
  readonly suspensions: Suspensions;
  readonly transactions: TransactionQueue;
}

/** How many starts without a further step end a run: whatever it fails of, it would fail of again. */
const stalledMax = 5;

export interface Called extends Executed {
  /** Whether there is anything of the run: a run that neither wrote nor waited leaves nothing. */
  readonly isStored: boolean;
}

/** Runs a block while its caller waits. @throws Problem that kept a run from its beginning, and what is no refusal. */
export async function callBlock(deps: RunsDeps, ask: Omit<RunAsk, 'id'>, caller: BlockCaller): Promise<Called> {
  const { workspace } = ask;
  const run = await newRun(deps, { ...ask, id: deps.newId() });
  await deps.meter.check(workspace.orgCode, 'runs');
  deps.meter.add(workspace, 'runs', 1);
  const journal = new RunJournal({ ...deps, workspace }, run);
  try {
    const executed = await executeRun(deps, { journal, workspace, caller, isAwaited: true });
    if (journal.isStored) await settle(deps, workspace, journal);
    return { ...executed, isStored: journal.isStored };
  } catch (error) {
    if (error instanceof LeaseLost) return lost(workspace, journal);
    if (journal.isStored) await release(deps, workspace, journal.run.id).catch(() => undefined);
    throw error;
  }
}

/**
 * How a run stands that is not this process's any more. It is an answer, not a failure: a request that is sent again
 * must not do once more what the run did.
 */
async function lost({ scope }: Workspace, { run }: RunJournal): Promise<Called> {
  const stands = (await storedRuns.read(scope, run.id))?.value;
  const refusal = stands?.state === 'cancelled' ? new Problem('conflict', 'the run was cancelled') : undefined;
  return { run, isStored: true, ...(refusal && { refusal }) };
}

/** What kept this process from the end of a run need not keep the next one, and does not have it wait for the lease. */
async function release({ clock }: RunsDeps, { scope }: Workspace, id: string): Promise<void> {
  await scope.commit([{ ...dueRun(id, clock.now()), if: 'present' }]);
}

/** Takes up a run that is due: it begins, has waited, or its process died. */
export function runHandler(deps: RunsDeps): DueVisit {
  return async (work) => {
    const { scope, item } = work;
    const workspace = await workspaceOf(deps, work);
    const row = workspace === undefined ? undefined : await deps.runRows(scope).read(runOfDue(item));
    if (workspace === undefined || row === undefined)
      return void (await scope
        .commit([{ kind: 'remove', pk: item.pk, sk: item.sk, if: { version: item.version } }])
        .catch(ignoreConflict));
    if (isOver(row.value)) return closeRun(closingIn(deps, workspace.env), { run: row.value, workspace });
    const restsUntil = await deps.suspensions.restsUntil(workspace);
    if (restsUntil !== undefined)
      return scope
        .commit([{ ...dueRun(row.value.id, restsUntil), if: { version: item.version } }], { priority: 'background' })
        .then(() => undefined, ignoreConflict);
    const journal = await takeUp(deps, { workspace, row, work });
    if (journal === undefined) return;
    try {
      await resume(deps, workspace, journal);
      await settle(deps, workspace, journal);
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
    }
  };
}

/** The scope alone says whose the run is. */
async function workspaceOf(
  { stores }: RunsDeps,
  { env, orgCode, tenantCode, scope }: DueWork,
): Promise<Workspace | undefined> {
  if (tenantCode === undefined) return undefined;
  return readyWorkspace({ env, orgCode, tenantCode, scope, orgScope: stores[env].scope(orgScopeName(orgCode)) });
}

/** Undefined where another process was faster. */
async function takeUp(
  deps: RunsDeps,
  { workspace, row, work }: { readonly workspace: Workspace; readonly row: Row<Run>; readonly work: DueWork },
): Promise<RunJournal | undefined> {
  const { scope } = workspace;
  const { value: run } = row;
  const steps = await countSteps(scope, run.id);
  const isStalled = run.state === 'running' && run.taken > 0 && steps === run.steps;
  const taken: Run = {
    ...run,
    state: 'running',
    taken: run.taken + 1,
    stalled: isStalled ? run.stalled + 1 : 0,
    steps,
  };
  const parts = { ...deps, workspace };
  const until = deps.clock.now() + leaseMilliseconds;
  const due = { ...dueRun(run.id, until, deps.nodeId), if: { version: work.item.version } };
  const lease = await Lease.take(runLease(parts, taken), row, [deps.runRows(scope).replace(row, taken), due]);
  if (lease === undefined) return undefined;
  const journal = new RunJournal(parts, taken, lease);
  await journal.load();
  return journal;
}

async function resume(deps: RunsDeps, workspace: Workspace, journal: RunJournal): Promise<void> {
  const { run } = journal;
  await putSummary(closingIn(deps, workspace.env), workspace, run);
  try {
    if (run.depth > chainDepthMax) throw blockFailure(chainRefusal('writes', [...run.chain, run.block]));
    if (run.stalled >= stalledMax)
      throw new Problem('internal_error', `the run was begun ${stalledMax} times without coming further`);
    const caller = await deps.callers.as(run.user, workspace, run.id, run.block);
    await executeRun(deps, { journal, workspace, caller, isAwaited: false });
  } catch (error) {
    if (!(error instanceof Problem) || error.code === 'unavailable') throw error;
    await failRun(journal, deps.clock, { error: errorOf(error) });
  }
}

async function settle(deps: RunsDeps, workspace: Workspace, { run, redaction }: RunJournal): Promise<void> {
  const parts = closingIn(deps, workspace.env);
  if (isOver(run)) await closeRun(parts, { run, workspace, redaction });
  else await putSummary(parts, workspace, run);
}
