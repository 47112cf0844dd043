import { type Audited, auditEntry } from '../audit/audit-entry.ts';
import { type AccessEpochs, thenBump } from '../iam/port.ts';
import { notFound, Problem } from '../lib/problem.ts';
import type { OrgCommand } from '../people/port.ts';
import { type Change, ScopeClosed, type Store } from '../store/port.ts';
import { transact } from '../store/transact.ts';
import {
  type Environment,
  orgScopeName,
  type Suspension,
  suspendedWorkspaces,
  type WorkspaceRow,
  workspaceHeads,
  workspaceScopeName,
  workspaceTable,
} from '../tenancy/port.ts';
import { plainJob, workItem } from '../work/job.ts';

export interface SuspendDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly epochs: AccessEpochs;
  /** Has work looked for now. */
  readonly wake: () => void;
  /** Has what waited in a workspace go on that is suspended no more. Never fails. */
  readonly workspaceResumed: (place: ResumedPlace) => Promise<void>;
}

interface ResumedPlace {
  readonly env: Environment;
  readonly orgCode: string;
  readonly tenantCode: string;
}

/** An org admin's, about the workspace whose code is the id. */
export interface SuspendCommand extends OrgCommand {
  readonly id: string;
  readonly env: Environment;
}

/**
 * Bars the members of a workspace and lets its automation rest. The row of the org says so first, in the commit of the
 * audit entry; then the head does, by which callers are let in. A job does the second where this process dies in between.
 * @throws Problem `not_found`, `conflict`.
 */
export function suspendWorkspace(deps: SuspendDeps, command: SuspendCommand, reason: string): Promise<void> {
  const { at, actor } = command.auditContext;
  const suspended: Suspension = { at, by: actor.id, reason };
  return changeWorkspace(deps, command, { action: 'workspace.suspended', detail: { reason } }, (row) => {
    if (row.suspended !== undefined) throw new Problem('conflict', 'the workspace is suspended already');
    if (row.state === 'founding')
      throw new Problem('conflict', 'the workspace is still being founded: it admits no caller yet');
    return { changed: { ...row, suspended }, along: suspendedWorkspaces.put(row.code, { id: row.id }, { if: 'any' }) };
  });
}

/** @throws Problem `not_found`, `conflict`. */
export async function resumeWorkspace(
  deps: SuspendDeps,
  command: SuspendCommand,
  reason: string | undefined,
): Promise<void> {
  const { env, orgCode, id: tenantCode } = command;
  const detail = reason === undefined ? {} : { detail: { reason } };
  await changeWorkspace(deps, command, { action: 'workspace.resumed', ...detail }, ({ suspended, ...row }) => {
    if (suspended === undefined) throw new Problem('conflict', 'the workspace is not suspended');
    return { changed: row, along: suspendedWorkspaces.remove(row.code, 'any') };
  });
  await deps.workspaceResumed({ env, orgCode, tenantCode });
}

interface ChangedWorkspace {
  readonly changed: WorkspaceRow;
  readonly along: Change;
}

async function changeWorkspace(
  { stores, epochs, wake }: SuspendDeps,
  { orgCode, env, id: code, auditContext }: SuspendCommand,
  recordedEntry: Pick<Audited, 'action' | 'detail'>,
  change: (row: WorkspaceRow) => ChangedWorkspace,
): Promise<void> {
  if (!codeForm.test(code)) throw notFound();
  const store = stores[env];
  const orgScope = store.scope(orgScopeName(orgCode));
  const work = { job: jobName, orgCode, code };
  const plan = async () => {
    const row = await workspaceTable.read(orgScope, code);
    if (row === undefined || row.value.state === 'removed') throw notFound();
    const { changed, along } = change(row.value);
    const target = { kind: 'workspace', id: changed.id };
    const entry = auditEntry(auditContext, { ...recordedEntry, target, env, tenant_code: code });
    const step = workItem(`${jobName};${code}`, work, Date.parse(auditContext.at));
    return { changes: [workspaceTable.replace(row, changed), along, entry, step] };
  };
  await thenBump(epochs, workspaceScopeName(orgCode, code), async () => {
    try {
      await transact(orgScope, plan);
    } catch (error) {
      // The same was asked before, and may have been left half done.
      if (error instanceof Problem && error.code === 'conflict') await alignHead(store, work);
      throw error;
    }
    wake();
    await alignHead(store, work);
  });
}

const codeForm = /^[a-z0-9-]{1,63}$/;

const jobName = 'align-workspace';

interface AlignWork {
  readonly orgCode: string;
  readonly code: string;
}

/** Completes a suspension, or its end, that a process left half done. May be repeated. */
function alignWorkspace(
  { store, epochs }: { readonly store: Store; readonly epochs: AccessEpochs },
  work: AlignWork,
): Promise<void> {
  return thenBump(epochs, workspaceScopeName(work.orgCode, work.code), () => alignHead(store, work));
}

export const alignWorkspaceJob = plainJob(jobName, alignWorkspace);

/**
 * Has the head say what the row says. INVARIANT: the head is read first and replaced under its version, so of two that
 * do this at once the call with the older row does not come last.
 */
async function alignHead(store: Store, { orgCode, code }: AlignWork): Promise<void> {
  const orgScope = store.scope(orgScopeName(orgCode));
  const scope = store.scope(workspaceScopeName(orgCode, code));
  const plan = async () => {
    const head = await workspaceHeads.read(scope, undefined);
    const row = (await workspaceTable.read(orgScope, code))?.value;
    const isOfRow = row !== undefined && row.state !== 'removed' && head?.value.id === row.id;
    if (head === undefined || !isOfRow) return { changes: [] };
    const { is_suspended: isSuspended = false, ...rest } = head.value;
    const isMeant = row.suspended !== undefined;
    if (isSuspended === isMeant) return { changes: [] };
    return { changes: [workspaceHeads.replace(head, isMeant ? { ...rest, is_suspended: true } : rest)] };
  };
  try {
    await transact(scope, plan, { attemptsMax: Number.POSITIVE_INFINITY });
  } catch (error) {
    // The workspace was removed meanwhile.
    if (!(error instanceof ScopeClosed)) throw error;
  }
}
