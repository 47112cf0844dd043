/** The walk of a job through all that an org has of a person in an environment, a bounded part at a time. */
import { Problem } from '../../lib/problem.ts';
import { type Workspace, workspacesPartition, workspaceTable } from '../../tenancy/port.ts';
import { appUserPartition, appUsers, identities, identityPartition, mergedAccountsMax } from '../app-users/app-user.ts';
import { added, type JobCursor, type JobRow } from './person-job.ts';
import { nextRecords, workspaceAt } from './records-of-workspace.ts';
import type { Found, Run, Step, Worker } from './run.ts';

const rowsPerStep = 1000;
const workspacesShownMax = 200;

/** The next step of the job from where it stands. */
export function takeStep(run: Run, worker: Worker): Promise<Step> {
  const cursor: JobCursor = run.job.cursor ?? { phase: 'accounts' };
  switch (cursor.phase) {
    case 'accounts':
      return accountsStep(run, worker, cursor);
    case 'identities':
      return identitiesStep(run, worker, cursor);
    case 'workspaces':
      return workspacesStep(run, worker, cursor);
    case 'finish':
      return worker.finish(run);
  }
}

export function idsOf({ accounts = [] }: JobRow): ReadonlySet<string> {
  return new Set(accounts);
}

/**
 * Finds the accounts that were merged into those that are known. An account that was merged into another which comes later
 * in the order of ids is found by another pass.
 */
async function accountsStep(run: Run, worker: Worker, cursor: JobCursor): Promise<Step> {
  const { job, orgScope } = run;
  const isFirst = job.accounts === undefined;
  const own = isFirst ? await appUsers.read(orgScope, job.user_id) : undefined;
  const known = new Set(job.accounts ?? [job.user_id]);
  const after = cursor.after === undefined ? {} : { after: cursor.after };
  const rows = await appUsers.range(orgScope, appUserPartition, { ...after, limit: rowsPerStep });
  const merged = rows.map(({ value }) => value).filter((user) => isMergedInto(user, known) && !known.has(user.id));
  const users = own === undefined ? merged : [own.value, ...merged];
  const accounts = [...known, ...merged.map(({ id }) => id)];
  if (accounts.length > mergedAccountsMax)
    throw new Problem('conflict', `more than ${mergedAccountsMax} accounts were merged into this one`);
  const emails = [...new Set([...(job.emails ?? []), ...users.map(({ email }) => email)])];
  const found: Found[] = [];
  for (const user of users) found.push(await worker.account(run, user));
  const isAgain = cursor.isAgain === true || merged.length > 0;
  const last = rows.length < rowsPerStep ? undefined : rows.at(-1)?.sk;
  const next: JobCursor =
    last !== undefined
      ? { phase: 'accounts', after: last, ...(isAgain ? { isAgain } : {}) }
      : { phase: isAgain ? 'accounts' : 'identities' };
  return stepOf(run, found, { state: 'running', accounts, emails, cursor: next });
}

function isMergedInto({ merged_into }: { readonly merged_into?: string }, known: ReadonlySet<string>): boolean {
  return merged_into !== undefined && known.has(merged_into);
}

async function identitiesStep(run: Run, worker: Worker, cursor: JobCursor): Promise<Step> {
  const ids = idsOf(run.job);
  const after = cursor.after === undefined ? {} : { after: cursor.after };
  const rows = await identities.range(run.orgScope, identityPartition, { ...after, limit: rowsPerStep });
  const own = rows.filter(({ value }) => ids.has(value));
  const found = own.map(({ pk, sk, value: userId }) => worker.identity(run, { pk, sk, userId }));
  const last = rows.length < rowsPerStep ? undefined : rows.at(-1)?.sk;
  const next: JobCursor = last === undefined ? { phase: 'workspaces' } : { phase: 'identities', after: last };
  return stepOf(run, found, { cursor: next });
}

async function workspacesStep(run: Run, worker: Worker, cursor: JobCursor): Promise<Step> {
  if (cursor.workspace === undefined) return enterNext(run, cursor);
  const workspace = workspaceAt(run, cursor.workspace);
  const at = { code: cursor.workspace.code, id: cursor.workspace.id };
  if (cursor.workspace.isWalked !== true) {
    const page = await nextRecords(run, workspace, { cursor: cursor.workspace, ids: idsOf(run.job) });
    const found = await worker.records(run, workspace, page);
    const inside = found.next === undefined ? { ...at, isWalked: true as const } : { ...at, ...found.next };
    const step = stepOf(run, [found], { cursor: { phase: 'workspaces', workspace: inside } }, workspace);
    return found.isWaiting === true ? { ...step, isWaiting: true } : step;
  }
  const found = await worker.membership(run, workspace);
  return stepOf(run, [found], { cursor: { phase: 'workspaces', after: at.code } }, workspace);
}

async function enterNext({ job, orgScope }: Run, { after }: JobCursor): Promise<Step> {
  const behind = after === undefined ? {} : { after };
  const [row] = await workspaceTable.range(orgScope, workspacesPartition, { ...behind, limit: 1 });
  if (row === undefined) return { job: { ...job, cursor: { phase: 'finish' } }, isIdle: true };
  const { code, id, state } = row.value;
  const next: JobCursor =
    state === 'removed' ? { phase: 'workspaces', after: row.sk } : { phase: 'workspaces', workspace: { code, id } };
  return { job: { ...job, cursor: next }, isIdle: true };
}

function stepOf({ job }: Run, found: readonly Found[], next: Partial<JobRow>, workspace?: Workspace): Step {
  let counts = job.counts;
  for (const one of found) counts = added(counts, one.counts);
  const isIdle = found.every(isNothing);
  const workspaces = workspace === undefined ? job.workspaces : withWorkspace(job.workspaces, workspace, found);
  const changed: JobRow = Object.assign({ ...job, counts, workspaces }, ...found.map((one) => one.job ?? {}), next);
  return {
    job: changed,
    changes: found.flatMap((one) => one.changes ?? []),
    lines: found.flatMap((one) => one.lines ?? []),
    ...(isIdle ? { isIdle } : {}),
  };
}

function isNothing({ counts, job, changes = [], lines = [] }: Found): boolean {
  const isCounted = Object.values(counts).some((count) => count > 0);
  return !isCounted && job === undefined && changes.length === 0 && lines.length === 0;
}

function withWorkspace(
  shown: JobRow['workspaces'],
  { tenantCode: tenant_code }: Workspace,
  found: readonly Found[],
): JobRow['workspaces'] {
  const member = found.some(({ counts }) => (counts.memberships ?? 0) > 0);
  const records = found.reduce((sum, { counts }) => sum + recordsIn(counts), 0);
  const known = shown.find((one) => one.tenant_code === tenant_code);
  if (!member && records === 0) return shown;
  const entry = { tenant_code, member: member || known?.member === true, records: records + (known?.records ?? 0) };
  if (known !== undefined) return shown.map((one) => (one === known ? entry : one));
  return shown.length < workspacesShownMax ? [...shown, entry] : shown;
}

function recordsIn({ owned = 0, created = 0, linked = 0, named = 0 }: Found['counts']): number {
  return owned + created + linked + named;
}
