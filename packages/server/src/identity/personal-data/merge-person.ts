/** The merge of an account into another one of the same person: what is done about each thing that is found. */
import { createHash } from 'node:crypto';
import { auditEntry } from '../../audit/audit-entry.ts';
import { findMember, heldPolicies } from '../../iam/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { removeAsRead } from '../../store/table.ts';
import { overtaken, tryCommit } from '../../store/transact.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { type AppUser, appUsers } from '../app-users/app-user.ts';
import { settleAccounts, workspacesOf } from '../app-users/settle-accounts.ts';
import { invitationPut, invitationTold, invitedPut, noLongerReceived } from '../invitations/invitation.ts';
import { eraseRecords } from './erase-person.ts';
import { type RecordsPage, withoutPerson } from './named-records.ts';
import { added, type JobRow, noCounts, type ShownJob } from './person-job.ts';
import { mergeStays } from './report.ts';
import type { Found, FoundInRecords, Run, Step, Worker } from './run.ts';
import { idsOf, invitationsTo } from './steps.ts';

export const mergeWorker: Worker = {
  account: settle,
  identity: () => ({ counts: { identities: 1 } }),
  records: eraseRecords,
  membership: moveInvitations,
  finish: endMerge,
};

export const mergePreviewWorker: Worker = {
  account: () => ({ counts: { accounts: 1 } }),
  identity: () => ({ counts: { identities: 1 } }),
  records: async (run, _workspace, page) => countRecords(run, page),
  membership: async ({ job }, workspace) => ({
    counts: { invitations: (await invitationsTo(workspace, job)).length },
  }),
  finish: previewGains,
};

async function endMerge({ deps, job, work }: Run): Promise<Step> {
  const done = over(job, deps.clock.now());
  const detail = { job: work.id, into: job.into ?? '', changed: job.counts.changed };
  const target = { kind: 'app_user', id: job.user_id };
  const context = { at: timestamp(deps.clock.now()), ...job.caller };
  return { job: done, changes: [auditEntry(context, { action: 'app_user.merged', target, env: work.env, detail })] };
}

function over(job: JobRow, now: number): JobRow {
  return { ...job, state: 'done', finished_at: timestamp(now), stays: mergeStays(job) };
}

/** The scope of the org has decided, and the workspaces follow. */
async function settle({ deps, job, work, orgScope }: Run, { id }: AppUser): Promise<Found> {
  const counts = { accounts: 1 };
  if (id !== job.user_id || job.into === undefined) return { counts };
  const into = await appUsers.read(orgScope, job.into);
  const place = { env: work.env, orgCode: work.orgCode, requestId: job.caller.request_id };
  if (into !== undefined) await settleAccounts(deps, place, into.value, job.caller);
  return { counts };
}

/** An open invitation goes on to the address of the account that stays; to a member it would be good for nothing. */
async function moveInvitations(run: Run, workspace: Workspace): Promise<Found> {
  const { deps, job, orgScope } = run;
  const open = await invitationsTo(workspace, job);
  const into = job.into === undefined || open.length === 0 ? undefined : await appUsers.read(orgScope, job.into);
  if (into === undefined) return { counts: {} };
  const { scope, tenantId, tenantCode } = workspace;
  const isMember = (await findMember(workspace, into.value.id)) !== undefined;
  const context = {
    workspace,
    actor: { userId: job.caller.actor.id, claims: {}, auditCaller: job.caller },
  };
  const changes = [];
  for (const row of open) {
    const { email, id } = row.value;
    const moved = { ...row.value, email: into.value.email };
    const done = isMember ? 'removed' : 'readdressed';
    const write = isMember ? removeAsRead(row) : invitationPut(moved, { version: row.version });
    const told = invitationTold(deps.clock, context, { invitation: moved, done });
    // Sent again or accepted meanwhile.
    if (!(await tryCommit(scope, [write, told]))) throw overtaken();
    changes.push(...noLongerReceived({ email, id }, tenantCode));
    if (!isMember) changes.push(invitedPut(moved, { id: tenantId, code: tenantCode }));
  }
  return { counts: { invitations: open.length }, changes };
}

function countRecords({ job }: Run, { named, next }: RecordsPage): FoundInRecords {
  let counts = noCounts;
  for (const { entity, record, relation } of named) {
    counts = added(counts, { [relation]: 1 });
    try {
      if (withoutPerson(entity, record.data, { ids: idsOf(job), into: job.into }) !== undefined)
        counts = added(counts, { changed: 1 });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }
  return { counts, next };
}

async function previewGains(run: Run): Promise<Step> {
  const { deps, job } = run;
  if (job.into === undefined) return { job: over(job, deps.clock.now()) };
  const { gains, seen } = await gainsOf(run, { from: job.user_id, into: job.into });
  const counts = added(job.counts, { memberships: gains.length });
  return { job: over({ ...job, counts, gains, seen }, deps.clock.now()) };
}

export type Gain = ShownJob['gains'][number];

export interface Gains {
  readonly gains: readonly Gain[];
  /** Names all of it: the merge is done on this state alone. */
  readonly seen: string;
}

const policiesShownMax = 20;

/** What an account would hold in each workspace by a merge that it does not hold yet. @throws what the store throws. */
export async function gainsOf(
  { deps, work, orgScope }: Pick<Run, 'deps' | 'work' | 'orgScope'>,
  { from, into }: { readonly from: string; readonly into: string },
): Promise<Gains> {
  const { env, orgCode } = work;
  const gains: Gain[] = [];
  const digest = createHash('sha256').update(JSON.stringify([from, into]));
  for (const workspace of await workspacesOf({ deps, place: { env, orgCode }, orgScope }, from)) {
    const found = await gainIn(workspace, { from, into });
    if (found === undefined) continue;
    gains.push(found.gain);
    digest.update(JSON.stringify(found));
  }
  return { gains, seen: digest.digest('base64url') };
}

async function gainIn(workspace: Workspace, { from, into }: { readonly from: string; readonly into: string }) {
  const member = await findMember(workspace, from);
  if (member === undefined) return undefined;
  const other = await findMember(workspace, into);
  const held = new Set((await heldPolicies(workspace, into)).map(({ policyId }) => policyId));
  const gained = (await heldPolicies(workspace, from)).filter(({ policyId }) => !held.has(policyId));
  const names = [...new Set(gained.map(({ policyName }) => policyName))].sort();
  const gain: Gain = {
    tenant_code: workspace.tenantCode,
    joins: other === undefined,
    role: other === undefined ? String(member.data.role ?? '') : String(other.data.role ?? ''),
    suspended: [member, other].some((one) => one !== undefined && one.data.status !== 'active'),
    policies: names.slice(0, policiesShownMax),
    policies_total: names.length,
  };
  return { gain, names, statements: gained.map(({ policyId, statements }) => [policyId, statements]) };
}
