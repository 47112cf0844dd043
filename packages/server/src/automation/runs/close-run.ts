import type { Clock } from '../../lib/clock.ts';
import type { Change, Condition, Due, Scope, Store } from '../../store/port.ts';
import { transact } from '../../store/transact.ts';
import { walk } from '../../store/walk.ts';
import { type Environment, orgScopeName, type Workspace } from '../../tenancy/port.ts';
import type { Tell } from '../alerts.ts';
import type { RetentionOf } from '../retention.ts';
import { type Redaction, runBlindly, stepBlindly } from './redaction.ts';
import {
  dueRunKey,
  forgottenAt,
  isOver,
  type OpenRunRows,
  type Run,
  type RunRows,
  type RunStep,
  runSummaries,
  stepOf,
  wroteSecrets,
} from './run-rows.ts';

/** Where a run lies. */
export type RunWorkspace = Pick<Workspace, 'orgCode' | 'tenantCode' | 'scope'>;

export interface CloseDeps {
  readonly store: Store;
  readonly runRows: OpenRunRows;
  readonly clock: Clock;
  readonly retentionOf: RetentionOf;
  /** Tells the org that a run of a block has failed. */
  readonly tellFailed: (orgCode: string, block: string, code: string | undefined) => Promise<void>;
}

/** What runs are closed with, by what all of an environment have in common. */
export interface EndingDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly runRows: OpenRunRows;
  readonly clock: Clock;
  readonly retentionOf: RetentionOf;
  readonly tell: Tell;
}

export function closingIn({ stores, runRows, clock, retentionOf, tell }: EndingDeps, env: Environment): CloseDeps {
  return {
    ...{ store: stores[env], runRows, clock, retentionOf },
    tellFailed: (orgCode, name, code) =>
      tell({ env, orgCode }, { kind: 'run', name, ...(code === undefined ? {} : { code }) }, 1),
  };
}

/**
 * Does what is left to do for a run that is over: its steps are stored as they are shown, and expire; its org learns how
 * it ended. Until that is done the run stays due, so a process that dies in between leaves it to another.
 * @param redaction of the process that did the run; left out, what may hold values of encrypted fields is dropped.
 */
export async function closeRun(
  deps: CloseDeps,
  {
    run,
    workspace,
    redaction,
  }: { readonly run: Run; readonly workspace: RunWorkspace; readonly redaction?: Redaction },
): Promise<void> {
  const { scope } = workspace;
  const stored = deps.runRows(scope);
  const due = forgottenAt(deps.clock.now(), (await deps.retentionOf(workspace.orgCode)).runs);
  // Another process knew the values: what one of the steps wrote to encrypted fields may be in any of them.
  const isBlind = redaction === undefined ? await wroteSecrets(scope, run.id) : redaction.isBlind;
  const show = (step: RunStep): RunStep => {
    if (isBlind) return stepBlindly(step);
    return redaction === undefined ? step : (redaction.of(step) as RunStep);
  };
  if (redaction === undefined) await closeRow(stored, scope, { id: run.id, isBlind, due });
  for await (const rows of stored.steps(run.id)) {
    const open = rows.filter((row) => row.due === undefined);
    const puts = open.map((row): Change => {
      const step = waited(show(stepOf(row)), run);
      return stored.putStep({ run: run.id, path: row.sk }, step, { if: { version: row.version }, due });
    });
    if (puts.length > 0) await scope.commit(puts, { priority: 'background' });
  }
  const isAnswered = run.trigger.kind === 'call' && run.taken === 0 && redaction !== undefined;
  // A caller who still waits is told by the reply.
  if (run.state === 'failed' && !isAnswered) await deps.tellFailed(workspace.orgCode, run.block, run.error?.code);
  await putSummary(deps, workspace, run);
  await scope.commit([{ kind: 'remove', ...dueRunKey(run.id), if: 'any' }], { priority: 'background' });
}

/** A wait that was over when its run was. */
function waited(step: RunStep, { ended_at = '' }: Run): RunStep {
  return step.until !== undefined && step.until <= Date.parse(ended_at) ? { ...step, state: 'done' } : step;
}

/** A run that is begun again meanwhile is written too. */
async function closeRow(
  stored: RunRows,
  scope: Scope,
  { id, isBlind, due }: { readonly id: string; readonly isBlind: boolean; readonly due: Due },
): Promise<void> {
  const plan = async () => {
    const row = await stored.read(id);
    if (row === undefined || (row.due !== undefined && !isBlind)) return { changes: [] };
    const run = isBlind ? runBlindly(row.value) : row.value;
    return { changes: [stored.put(run, { if: { version: row.version }, due: row.due ?? due })] };
  };
  await transact(scope, plan, { priority: 'background' });
}

/**
 * Longer than any run waits: what a run leaves here that never comes to be taken up again, since its workspace is gone,
 * is forgotten too.
 */
const openMilliseconds = 40 * 86_400_000;

/** How the run stands now, for the lists of its org. */
export async function putSummary(
  { store, clock, retentionOf }: Pick<CloseDeps, 'store' | 'clock' | 'retentionOf'>,
  { orgCode, tenantCode }: RunWorkspace,
  run: Run,
  condition: Condition = 'any',
): Promise<void> {
  const { id, block, trigger, state, started_at, ended_at, failed_passes, error } = run;
  const summary = {
    ...{ id, block, tenant_code: tenantCode, trigger, state, started_at },
    ...(ended_at === undefined ? {} : { ended_at }),
    ...(failed_passes === undefined ? {} : { failed_passes }),
    // Its sentence may hold values of the workspace.
    ...(error === undefined
      ? {}
      : { error: { code: error.code, ...(error.step === undefined ? {} : { step: error.step }) } }),
  };
  const kept = isOver(run) ? (await retentionOf(orgCode)).runs : openMilliseconds;
  const due = forgottenAt(clock.now(), kept);
  await store.scope(orgScopeName(orgCode)).commit([runSummaries.put(id, summary, { if: condition, due })]);
}

const summariesPerRead = 200;

/**
 * Removes what the lists of an org show of the runs of a workspace. May be repeated.
 * @param orgScope that of the org in the environment.
 * @param afterPage asked after each page that was read. What it throws ends the work.
 */
export async function forgetRunsOf(orgScope: Scope, tenantCode: string, afterPage: () => Promise<void>): Promise<void> {
  const { pk } = runSummaries.key('');
  const read = (after: string | undefined) =>
    runSummaries.range(orgScope, pk, { ...(after === undefined ? {} : { after }), limit: summariesPerRead });
  for await (const rows of walk({ after: undefined }, read, ({ sk }) => sk)) {
    const gone = rows.filter(({ value }) => value.tenant_code === tenantCode);
    const removals = gone.map(({ sk }): Change => ({ kind: 'remove', pk, sk, if: 'any' }));
    if (removals.length > 0) await orgScope.commit(removals, { priority: 'background' });
    await afterPage();
  }
}
