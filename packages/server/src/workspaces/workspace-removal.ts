import type { workspacesApi } from '@freehold/contract/app/workspaces';
import type { BodyOf } from '@freehold/contract/route';
import { isOfAudit } from '../audit/audit-entry.ts';
import { settingOf } from '../config/port.ts';
import { type AccessEpochs, auditEntryInWorkspace } from '../iam/port.ts';
import type { Clock } from '../lib/clock.ts';
import { invalidBody, notFound, Problem } from '../lib/problem.ts';
import { tenancyType } from '../people/port.ts';
import { countersOfWorkspace, floorKey, tombstone, type WriteContext } from '../records/port.ts';
import {
  type Change,
  type Item,
  type Maintenance,
  type Put,
  type Scope,
  ScopeClosed,
  type Store,
} from '../store/port.ts';
import { asRead, json, type Row, table } from '../store/table.ts';
import { transact } from '../store/transact.ts';
import { walkScope } from '../store/walk.ts';
import {
  defaultWorkspaceCode,
  orgScopeName,
  type Workspace,
  type WorkspaceRow,
  workspaceHeadKey,
  workspaceRowKey,
  workspaceScopeName,
  workspaceSuspended,
} from '../tenancy/port.ts';
import { plainJob, workItem } from '../work/job.ts';
import type { MembershipDeps } from './founding.ts';
import { forgetChange } from './membership-hints.ts';

const rows = table(
  workspaceRowKey,
  json<WorkspaceRow>('workspace row', { id: 'string', code: 'string', state: 'string' }),
);

/** The code of the workspace, typed once more. */
export type RemovalConfirmation = BodyOf<typeof workspacesApi.deleteWorkspace>;

export interface WorkspaceRemovalDeps extends MembershipDeps {
  readonly epochs: AccessEpochs;
  /** Has work looked for now. */
  readonly wake: () => void;
  /** Receives the number of removed records; left out, they count for nothing. */
  readonly workspaceRemoved?:
    | ((workspace: Pick<Workspace, 'env' | 'orgCode' | 'tenantCode'>, records: number) => void)
    | undefined;
}

/**
 * Removes a workspace whose code the caller has typed. From the commit in the org on no caller is admitted. Jobs do the
 * rest: the scope is closed, and once no process can be writing there any more everything in it is removed.
 * @throws Problem `validation_failed`, `conflict`, `not_found`, `workspace_suspended`.
 */
export async function removeWorkspace(
  deps: WorkspaceRemovalDeps,
  context: WriteContext,
  { code }: RemovalConfirmation,
): Promise<void> {
  const { env, orgCode, tenantId, tenantCode, scope } = context.workspace;
  if (code !== tenantCode)
    throw invalidBody([{ pointer: '/code', code: 'mismatch', message: '`code` must be the code of the workspace' }]);
  if (code === defaultWorkspaceCode && settingOf(context.config, env, tenancyType) === 'single')
    throw new Problem('conflict', 'the default workspace stays for as long as `tenancy.tenancy_type` is `single`');
  const orgScope = deps.stores[env].scope(orgScopeName(orgCode));
  const records = await recordsOf(scope);
  await transact(orgScope, async () => {
    const row = await rows.read(orgScope, code);
    if (row?.value.id !== tenantId || row.value.state === 'removed') throw notFound();
    // It was suspended after the call was let in.
    if (row.value.suspended !== undefined) throw workspaceSuspended();
    const { id, name, created_at } = row.value;
    const changes = [
      rows.replace(row, { id, code, name, state: 'removed', created_at }),
      forgetChange(context.actor.userId, code),
      auditEntryInWorkspace(deps.clock, context, { action: 'workspace.removed', target: { kind: 'workspace', id } }),
      removalStep(closing, { orgCode, code, id }, deps.clock.now()),
    ];
    return { changes };
  });
  deps.workspaceRemoved?.(context.workspace, records);
  await removeHead(scope);
  deps.epochs.bump(scope.name);
  deps.wake();
}

async function recordsOf(scope: Scope): Promise<number> {
  const { byEntity } = await countersOfWorkspace(scope);
  return Object.values(byEntity).reduce((sum, records) => sum + records, 0);
}

/** Without its head a workspace admits no caller. */
async function removeHead(scope: Scope): Promise<void> {
  try {
    await scope.commit([{ kind: 'remove', ...workspaceHeadKey, if: 'any' }]);
  } catch (error) {
    if (!(error instanceof ScopeClosed)) throw error;
  }
}

const closing = 'close-workspace';
const purging = 'purge-workspace';

export interface WorkspaceRemovalWork {
  readonly orgCode: string;
  readonly code: string;
  readonly id: string;
}

export interface RemovalSpace {
  readonly store: Store;
  readonly maintenance: Maintenance;
  readonly clock: Clock;
}

export interface PurgeSpace extends RemovalSpace {
  /** Removes what the org's own lists show of the runs of the workspace. May be repeated. */
  readonly forgetRuns: (orgScope: Scope, tenantCode: string, renewLease: () => Promise<void>) => Promise<void>;
}

/** More than any process goes by what it knew of the workspace before it was removed. */
const closedMilliseconds = 10 * 60 * 1000;
const codeKeptMilliseconds = 30 * 24 * 60 * 60 * 1000;
const itemsPerStep = 100;

/** Ends every write in the workspace. May be repeated. */
export async function closeWorkspace(
  { store, maintenance, clock }: RemovalSpace,
  work: WorkspaceRemovalWork,
): Promise<void> {
  const orgScope = store.scope(orgScopeName(work.orgCode));
  if ((await findRemoved(orgScope, work)) === undefined) return;
  const scopeName = workspaceScopeName(work.orgCode, work.code);
  await removeHead(store.scope(scopeName));
  await maintenance.setState(scopeName, 'closed');
  await orgScope.commit([removalStep(purging, work, clock.now() + closedMilliseconds)]);
}

/**
 * Removes all that lies in the workspace's scope but its audit log, and what the org lists of its runs, in bounded commits, and from then on keeps the code
 * from being taken for a while. First the scope loses its owner: a call that was held up all the time, say by a machine
 * put to sleep, finds no way into it. May be repeated: once that is done, the row of the workspace is no longer what is
 * looked for here.
 */
export async function purgeWorkspace(
  { store, maintenance, clock, forgetRuns }: PurgeSpace,
  work: WorkspaceRemovalWork,
  renewLease: () => Promise<void>,
): Promise<void> {
  const orgScope = store.scope(orgScopeName(work.orgCode));
  const row = await findRemoved(orgScope, work);
  if (row === undefined) return;
  const scopeName = workspaceScopeName(work.orgCode, work.code);
  const scope = store.scope(scopeName);
  await maintenance.setState(scopeName, 'open');
  await scope.commit([tombstone(clock.now() + codeKeptMilliseconds)], { priority: 'background' });
  // A row written behind a pass, by a call that was under way, is found by the next one.
  while (await removeAll({ scope, maintenance }, renewLease));
  await forgetRuns(orgScope, work.code, renewLease);
  const due = { at: clock.now() + codeKeptMilliseconds, queue: 'expire' } as const;
  await orgScope.commit([rows.put(row.value.code, row.value, { if: asRead(row), due })]);
}

export const closeWorkspaceJob = plainJob(closing, closeWorkspace);
export const purgeWorkspaceJob = plainJob(purging, purgeWorkspace);

/** One pass over the scope. Tells whether there was something to remove. */
async function removeAll(
  { scope, maintenance }: { readonly scope: Scope; readonly maintenance: Maintenance },
  renewLease: () => Promise<void>,
): Promise<boolean> {
  let hasRemoved = false;
  for await (const items of walkScope(maintenance, scope, itemsPerStep)) {
    const gone = items.filter((item) => !isKept(item));
    const removals = gone.map(({ pk, sk }): Change => ({ kind: 'remove', pk, sk, if: 'any' }));
    if (removals.length > 0) await scope.commit(removals, { priority: 'background' });
    hasRemoved ||= removals.length > 0;
    await renewLease();
  }
  return hasRemoved;
}

/**
 * The audit entries of the workspace are kept for as long as there is the org, and its chain goes on with the next of
 * that code.
 */
function isKept(item: Item): boolean {
  return isOfAudit(item) || (item.pk === floorKey.pk && item.sk === floorKey.sk);
}

/** The org's row of a workspace that has been removed, for as long as there may be something in it. */
async function findRemoved(
  orgScope: Scope,
  { code, id }: WorkspaceRemovalWork,
): Promise<Row<WorkspaceRow> | undefined> {
  const row = await rows.read(orgScope, code);
  const isRemoved = row?.due === undefined && row?.value.id === id && row.value.state === 'removed';
  return isRemoved ? row : undefined;
}

function removalStep(job: string, { orgCode, code, id }: WorkspaceRemovalWork, at: number): Put {
  return workItem(`${job};${code}`, { job, orgCode, code, id }, at);
}
