/** The erasure of a person: what is done about each thing that is found, and at the end about the accounts themselves. */
import { auditEntry } from '../../audit/audit-entry.ts';
import { referencesTo } from '../../config/port.ts';
import { erasedMember, findMember } from '../../iam/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { indexPrefix } from '../../schema/port.ts';
import type { Change } from '../../store/port.ts';
import { type Row, removeAsRead } from '../../store/table.ts';
import { overtaken, tryCommit } from '../../store/transact.ts';
import type { Workspace } from '../../tenancy/port.ts';
import {
  type AppUser,
  appUsers,
  disabledUsers,
  notFoundByEmail,
  passwordIdentities,
  providerLinkPartition,
  providerLinks,
  providerLinksMax,
  verifiedEmails,
} from '../app-users/app-user.ts';
import { suspendedAccounts } from '../app-users/prove-email.ts';
import { commitIn } from '../app-users/settle-accounts.ts';
import { invitationTold, noLongerReceived } from '../invitations/invitation.ts';
import { forgetChange, forgetChosen, tenantsOf } from '../workspaces/membership-hints.ts';
import { type Erased, eraseRecord, isAwaited, isToGo, problemsMax, withErased } from './erase-records.ts';
import { type NamedRecord, type RecordsPage, withoutPerson } from './named-records.ts';
import { filesOf } from './person-file.ts';
import { added, type JobRow, noCounts } from './person-job.ts';
import { eraseStays } from './report.ts';
import type { Found, FoundInRecords, Run, Step, Worker } from './run.ts';
import { idsOf, invitationsTo, receivedBy } from './steps.ts';

export const eraseWorker: Worker = {
  account: () => ({ counts: { accounts: 1 } }),
  identity: (_run, { pk, sk }) => ({ counts: { identities: 1 }, changes: [{ kind: 'remove', pk, sk, if: 'any' }] }),
  records: eraseRecords,
  membership: eraseMembership,
  finish: eraseAccounts,
};

/** Looked for so often, about once a second, what is in the way of a removal is taken to stay there. */
const waitsMax = 900;

export async function eraseRecords(run: Run, workspace: Workspace, page: RecordsPage): Promise<FoundInRecords> {
  let job: JobRow = run.job;
  let last: NamedRecord | undefined;
  let counts: Found['counts'] = {};
  for (const named of page.named) {
    await run.renewLease();
    const erased = await eraseNext({ ...run, job }, workspace, named);
    if (erased.kind === 'wait' || erased.kind === 'removing') {
      const next = last === undefined ? startOf(run) : { entity: last.entity.name, after: last.place };
      return { counts, job: waiting(job, named, erased), next, isWaiting: true };
    }
    const known = withErased(job, named, { workspace, erased });
    counts = plus(counts, known.counts);
    job = { ...job, removal: undefined, waits: 0, problems: known.problems, problems_total: known.problems_total };
    last = named;
  }
  if (last === undefined) return { counts, next: page.next };
  return { counts, job: { ...reported(job), waits: 0, removal: undefined }, next: page.next };
}

/** A removal that a job of the workspace does is waited for; when that has failed, the record stays. */
async function eraseNext(run: Run, workspace: Workspace, named: NamedRecord): Promise<Erased> {
  const { removal, waits = 0 } = run.job;
  const awaited = isAwaited(removal, named) ? removal : undefined;
  const removing = awaited && (await run.deps.removals.find(workspace, awaited.job));
  if (removing?.job.state === 'queued' || removing?.job.state === 'running')
    return { kind: 'removing', job: removing.job.id };
  const isGivenUp = awaited !== undefined || waits >= waitsMax;
  return eraseRecord(run, { workspace, ids: idsOf(run.job), into: run.job.into }, { named, isGivenUp });
}

function waiting(job: JobRow, named: NamedRecord, erased: Erased): Partial<JobRow> {
  const removal = erased.kind === 'removing' ? removalOf(named, erased.job) : job.removal;
  return { ...reported(job), removal, waits: erased.kind === 'removing' ? 0 : (job.waits ?? 0) + 1 };
}

function reported({ problems, problems_total }: JobRow): Pick<JobRow, 'problems' | 'problems_total'> {
  return { problems, problems_total };
}

function startOf({ job }: Run): FoundInRecords['next'] {
  const { entity, after } = job.cursor?.workspace ?? {};
  return { ...(entity === undefined ? {} : { entity }), ...(after === undefined ? {} : { after }) };
}

function removalOf({ entity, record }: NamedRecord, job: string) {
  return { job, entity: entity.name, id: record.data.id };
}

function plus(counts: Found['counts'], more: Found['counts']): Found['counts'] {
  const sum: Record<string, number> = { ...counts };
  for (const [name, count] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}

/** The member goes when nothing in the workspace refers to it any more. */
async function eraseMembership(run: Run, workspace: Workspace): Promise<Found> {
  const { deps, job, config } = run;
  const { scope, tenantCode } = workspace;
  const open = await invitationsTo(workspace, job);
  const actor = { userId: job.caller.actor.id, claims: {}, auditCaller: job.caller };
  for (const row of open) {
    const told = invitationTold(deps.clock, { workspace, actor }, { invitation: row.value, done: 'removed' });
    // Sent again meanwhile: it has the address still.
    if (!(await tryCommit(scope, [removeAsRead(row), told]))) throw overtaken();
  }
  let memberships = 0;
  for (const userId of idsOf(job)) {
    const isMember = (await findMember(workspace, userId)) !== undefined;
    const unreferred = referencesTo(config, 'user').map(
      ({ pk }): Change => ({ kind: 'check-empty', pk, prefix: indexPrefix(userId) }),
    );
    await commitIn(workspace, () =>
      erasedMember(deps, { workspace, userId, auditCaller: job.caller }, isMember ? unreferred : []),
    );
    memberships += isMember ? 1 : 0;
  }
  const changes = [
    ...open.flatMap(({ value }) => noLongerReceived(value, tenantCode)),
    ...[...idsOf(job)].map((userId) => forgetChange(userId, tenantCode)),
  ];
  const isFound = open.length > 0 || memberships > 0;
  return isFound ? { counts: { invitations: open.length, memberships }, changes } : { counts: {} };
}

/** The accounts go last, so that what is cut off can be done again. */
async function eraseAccounts(run: Run): Promise<Step> {
  const { deps, job, orgScope, work } = run;
  const ids = [...idsOf(job)];
  const left = [...(await receivedBy(run, job)), ...(await filesOf(orgScope, new Set(ids)))];
  if (left.length > 0) return { job, changes: left };
  for (const id of ids) {
    const hints = await tenantsOf(orgScope, id);
    const links = await providerLinks.range(orgScope, providerLinkPartition(id), { limit: providerLinksMax });
    const changes = [...hints.map(({ code }) => forgetChange(id, code)), ...links.map(removeAsRead)];
    if (changes.length > 0) return { job, changes };
  }
  const rows = (await appUsers.readMany(orgScope, ids)).filter((row) => row !== undefined);
  const changes: Change[] = [];
  for (const row of rows) changes.push(...(await accountChanges(run, row, new Set(ids))));
  const { removed, changed, memberships } = job.counts;
  const at = timestamp(deps.clock.now());
  const detail = { job: work.id, removed, changed, memberships };
  const target = { kind: 'app_user', id: job.user_id };
  const entry = auditEntry({ at, ...job.caller }, { action: 'app_user.erased', target, env: work.env, detail });
  const done: JobRow = { ...job, state: 'done', finished_at: at, stays: eraseStays(job) };
  return { job: done, changes: [...changes, entry] };
}

async function accountChanges(
  { orgScope }: Run,
  row: Row<AppUser>,
  ids: ReadonlySet<string>,
): Promise<readonly Change[]> {
  const { id, email } = row.value;
  const password = await passwordIdentities.read(orgScope, email);
  const verified = await verifiedEmails.read(orgScope, email);
  const isOwn = (one: Row<string> | undefined): one is Row<string> => one !== undefined && ids.has(one.value);
  return [
    removeAsRead(row),
    ...[password, verified].filter(isOwn).map(removeAsRead),
    forgetChosen(id),
    suspendedAccounts.remove(id, 'any'),
    disabledUsers.remove(id, 'any'),
    ...notFoundByEmail(row.value),
  ];
}

/** Counts all that an erasure would do, and does none of it. */
export const previewWorker: Worker = {
  account: () => ({ counts: { accounts: 1 } }),
  identity: () => ({ counts: { identities: 1 } }),
  records: async (run, _workspace, page) => countRecords(run, page),
  membership: previewMembership,
  finish: async ({ deps, job }) => ({
    job: { ...job, state: 'done', finished_at: timestamp(deps.clock.now()), stays: eraseStays(job) },
  }),
};

function countRecords(run: Run, { named, next }: RecordsPage): FoundInRecords {
  let counts = noCounts;
  for (const one of named) counts = added(counts, { [one.relation]: 1, ...wouldBe(run, one) });
  return { counts, next };
}

function wouldBe({ job }: Run, named: NamedRecord): Found['counts'] {
  if (isToGo(job, named)) return { removed: 1 };
  try {
    return { changed: withoutPerson(named.entity, named.record.data, { ids: idsOf(job) }) === undefined ? 0 : 1 };
  } catch (error) {
    if (error instanceof Problem) return {};
    throw error;
  }
}

async function previewMembership({ deps, job }: Run, workspace: Workspace): Promise<Found> {
  const invitations = (await invitationsTo(workspace, job)).length;
  const problems = [...job.problems];
  let { problems_total } = job;
  let memberships = 0;
  for (const userId of idsOf(job)) {
    if ((await findMember(workspace, userId)) === undefined) continue;
    memberships += 1;
    try {
      await erasedMember(deps, { workspace, userId, auditCaller: job.caller }, []);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const { code, message } = error;
      problems_total += 1;
      if (problems.length < problemsMax)
        problems.push({ tenant_code: workspace.tenantCode, entity: 'user', id: userId, code, message });
    }
  }
  const counts = { invitations, memberships };
  return problems_total === job.problems_total ? { counts } : { counts, job: { problems, problems_total } };
}
