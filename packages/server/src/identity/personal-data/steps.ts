/** The walk of a job through all that an org has of a person in an environment, a bounded part at a time. */
import { type EntityRow, entityRows } from '../../config/port.ts';
import { emailKey } from '../../lib/formats/email-key.ts';
import { Problem } from '../../lib/problem.ts';
import { loadRemoved, walkRecords } from '../../maintenance/port.ts';
import { countersOfWorkspace, readRecord } from '../../records/port.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import type { Change } from '../../store/port.ts';
import type { Row } from '../../store/table.ts';
import { type Workspace, workspacesPartition, workspaceTable } from '../../tenancy/port.ts';
import { appUserPartition, appUsers, identities, identityPartition, mergedAccountsMax } from '../app-users/app-user.ts';
import {
  type Invitation,
  invitationPartition,
  invitations,
  receivedBy as invitedTo,
} from '../invitations/invitation.ts';
import { openWorkspace, readHead } from '../workspaces/workspace-head.ts';
import { type AccountIds, mayName, type NamedRecord, type RecordsPage, relationOf } from './named-records.ts';
import { added, type JobCursor, type JobRow, type WorkspaceCursor } from './person-job.ts';
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

const recordsPerRead = 500;
const bytesPerRead = 1024 * 1024;
/** So many records that do not name the person are looked at before the place is noted. */
const readsPerPage = 40;
const namedPerPage = 100;

/** The records behind the cursor that name the person. A page with none says how far it has looked. */
async function nextRecords(
  run: Run,
  workspace: Workspace,
  { cursor, ids }: { readonly cursor: WorkspaceCursor; readonly ids: AccountIds },
): Promise<RecordsPage> {
  const names = Object.keys((await countersOfWorkspace(workspace.scope)).byEntity).sort();
  let { entity: name, after } = cursor;
  name ??= names[0];
  for (let reads = 0; name !== undefined && reads < readsPerPage; reads++) {
    await run.renewLease();
    const found = await findEntity(run, name);
    const page = found === undefined ? [] : await firstPage(found.entity, workspace, after);
    const last = page.at(-1);
    if (found === undefined || last === undefined) {
      const done: string = name;
      name = names.find((other) => other > done);
      after = undefined;
      continue;
    }
    const named = page
      .filter(({ item }) => mayName(item.value, ids))
      .slice(0, namedPerPage)
      .map(({ place, item }): NamedRecord => {
        const record = readRecord(found.entity, item);
        return { ...found, record, relation: relationOf(found.entity, record.data, ids), place };
      });
    const isCut = named.length === namedPerPage;
    after = isCut ? named.at(-1)?.place : last.place;
    if (named.length > 0) return { named, next: { entity: name, ...(after === undefined ? {} : { after }) } };
  }
  const next = name === undefined ? undefined : { entity: name, ...(after === undefined ? {} : { after }) };
  return { named: [], next };
}

async function firstPage(entity: CompiledEntity, workspace: Workspace, after: string | undefined) {
  const cursor = { after, limit: recordsPerRead, bytesMax: bytesPerRead };
  for await (const page of walkRecords(entity, workspace, cursor)) return page;
  return [];
}

/** Undefined where the entity is gone, or its records are being removed as a whole. */
async function findEntity(
  { config, orgScope }: Run,
  name: string,
): Promise<Pick<NamedRecord, 'entity' | 'isRetired'> | undefined> {
  const entity = await config.entity(name);
  if (entity !== undefined) return { entity, isRetired: false };
  const row: EntityRow | undefined = (await entityRows.read(orgScope, name))?.value;
  if (row?.state !== 'retired') return undefined;
  const retired = await loadRemoved(orgScope, name, row);
  return retired === undefined ? undefined : { entity: retired, isRetired: true };
}

/** The workspace that a cursor is in, as the org has it. */
function workspaceAt({ deps, work: { env, orgCode } }: Run, { code, id }: WorkspaceCursor): Workspace {
  return openWorkspace(deps, { env, orgCode }, { id, code });
}

/** A workspace has no more open ones. */
const openMax = 500;
const receivedMax = 500;

/**
 * The open invitations in a workspace to the addresses of a person. An invitation to the same address from after the
 * beginning of the job is for another account.
 */
export async function invitationsTo(
  { scope }: Workspace,
  { emails = [], created_at }: JobRow,
): Promise<readonly Row<Invitation>[]> {
  const keys = new Set(emails.map(emailKey));
  const rows = await invitations.range(scope, invitationPartition, { limit: openMax });
  return rows.filter(({ value }) => keys.has(emailKey(value.email)) && value.created_at <= created_at);
}

/** Takes away what the org remembers of invitations that are no more, the first of very many. */
export async function receivedBy(
  { deps, orgScope, work: { env, orgCode } }: Run,
  { emails = [], created_at }: JobRow,
): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for (const email of emails) {
    if (changes.length >= receivedMax) break;
    const rows = await invitedTo(orgScope, email, receivedMax);
    for (const { pk, sk, value } of rows) {
      const { scope } = openWorkspace(deps, { env, orgCode }, value.tenant);
      const invitation = await invitations.read(scope, value.id);
      const isOpen = invitation !== undefined && (await readHead(scope))?.id === value.tenant.id;
      if (!isOpen || invitation.value.created_at <= created_at) changes.push({ kind: 'remove', pk, sk, if: 'any' });
    }
  }
  return changes;
}
