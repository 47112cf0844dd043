/** How a job about a person begins: in one commit with all that it changes at once. */
import { auditEntry } from '../../audit/audit-entry.ts';
import { erasedMember } from '../../iam/port.ts';
import { emailKey } from '../../lib/formats/email-key.ts';
import { invalidBody, notFound, Problem } from '../../lib/problem.ts';
import { type Cursors, mayBeId } from '../../records/port.ts';
import type { Change, Scope } from '../../store/port.ts';
import { type Row, removeAsRead } from '../../store/table.ts';
import { type Plan, transact } from '../../store/transact.ts';
import { type Environment, orgScopeName } from '../../tenancy/port.ts';
import { type AppUser, appUsers, passwordIdentities, verifiedEmails } from '../app-users/app-user.ts';
import { joinedAccounts, suspendedAccounts } from '../app-users/prove-email.ts';
import { settleAccounts, workspacesOf } from '../app-users/settle-accounts.ts';
import { released } from '../app-users/suspended-accounts.ts';
import type { OrgUserCommand } from '../org-users/account.ts';
import { tokensKeyOf, withNextEpoch } from '../sessions/ended-tokens.ts';
import { gainsOf } from './merge-person.ts';
import {
  type JobRow,
  jobPartition,
  keptMilliseconds,
  livePartition,
  livePersonJobs,
  noCounts,
  personJobs,
  personWork,
  type RecordChoice,
  type ShownJob,
  shownJob,
} from './person-job.ts';
import type { PersonDataDeps } from './run.ts';

export interface PersonCommand extends OrgUserCommand {
  readonly env: Environment;
}

export interface PersonalDataDeps extends PersonDataDeps {
  readonly cursors: Cursors;
}

/** So many jobs of an org in an environment may be under way. */
const liveMax = 20;
/** And so many are remembered: each is kept for 30 days. */
const jobsMax = 2000;

export interface Account {
  readonly orgScope: Scope;
  readonly row: Row<AppUser>;
}

type JobKind = Pick<JobRow, 'kind' | 'dry_run' | 'records' | 'into'>;

/** What the commit that begins a job changes already. */
interface AtOnce {
  readonly changes: readonly Change[];
  readonly job?: Partial<JobRow>;
}

export const nothingAtOnce: AtOnce = { changes: [] };

/** Has a job begin, in one commit with what that changes at once. */
export async function beginJob(
  deps: PersonalDataDeps,
  { env, orgCode, id, auditContext }: PersonCommand,
  kind: JobKind,
  atOnce: (account: Account) => Promise<AtOnce>,
): Promise<ShownJob> {
  const orgScope = deps.stores[env].scope(orgScopeName(orgCode));
  if (!mayBeId(id)) throw notFound();
  const newJobId = deps.newId();
  const { actor, request_id } = auditContext;
  const empty: JobRow = {
    ...kind,
    user_id: id,
    state: 'queued',
    created_at: auditContext.at,
    caller: { actor, request_id },
    counts: noCounts,
    workspaces: [],
    problems: [],
    problems_total: 0,
    stays: [],
  };
  const { planned } = await transact(orgScope, async (): Promise<BeginPlan> => {
    const row = await appUsers.read(orgScope, id);
    if (row === undefined) throw notFound();
    const standing = await liveJob(orgScope, id);
    if (standing !== undefined && isSame(standing.job, kind)) return { ...standing, changes: [] };
    if (standing !== undefined)
      throw new Problem('conflict', `job \`${standing.jobId}\` about this account is under way`);
    const { merged_into } = row.value;
    if (merged_into !== undefined) throw new Problem('conflict', `the account was merged into \`${merged_into}\``);
    if (kind.into !== undefined && (await liveJob(orgScope, kind.into)) !== undefined)
      throw new Problem('conflict', `a job about account \`${kind.into}\` is under way`);
    await requireRoom(orgScope);
    const { changes, job: known } = await atOnce({ orgScope, row });
    const job = { ...empty, ...known };
    const action = `app_user.${kind.kind}_${kind.dry_run ? 'previewed' : 'begun'}`;
    const due = { at: Date.parse(job.created_at) + keptMilliseconds, queue: 'expire' } as const;
    const detail = { job: newJobId, ...optional('records', kind.records), ...optional('into', kind.into) };
    return {
      ...{ job, jobId: newJobId },
      changes: [
        ...changes,
        personJobs.insert(newJobId, job, due),
        ...[id, kind.into].flatMap((userId) =>
          userId === undefined ? [] : [livePersonJobs.insert(userId, { id: newJobId }, due)],
        ),
        personWork({ id: newJobId, env, orgCode }, deps.clock.now()),
        auditEntry(auditContext, { action, target: { kind: 'app_user', id }, env, detail }),
      ],
    };
  });
  deps.wake();
  return shownJob(planned.jobId, env, planned.job, deps.clock.now());
}

function optional(name: string, value: string | undefined): Readonly<Record<string, string>> {
  return value === undefined ? {} : { [name]: value };
}

interface BeginPlan extends Plan {
  readonly jobId: string;
  readonly job: JobRow;
}

async function liveJob(orgScope: Scope, userId: string): Promise<Omit<BeginPlan, 'changes'> | undefined> {
  const live = await livePersonJobs.read(orgScope, userId);
  const row = live && (await personJobs.read(orgScope, live.value.id));
  return row && { jobId: row.sk, job: row.value };
}

function isSame(job: JobRow, { kind, dry_run, records, into }: JobKind): boolean {
  return job.kind === kind && job.dry_run === dry_run && job.records === records && job.into === into;
}

/** @throws Problem `conflict`. */
async function requireRoom(orgScope: Scope): Promise<void> {
  if ((await orgScope.count(livePartition, {}, liveMax)) >= liveMax)
    throw new Problem('conflict', `${liveMax} jobs about accounts are under way: try again when one is over`);
  if ((await orgScope.count(jobPartition, {}, jobsMax)) >= jobsMax)
    throw new Problem('conflict', `the org has had ${jobsMax} jobs about accounts in 30 days`);
}

export interface EraseChoice {
  readonly dryRun: boolean;
  readonly records: RecordChoice;
  /** The email address of the account, typed once more. */
  readonly confirm: string | undefined;
}

export async function beginErase(
  deps: PersonalDataDeps,
  command: PersonCommand,
  choice: EraseChoice,
): Promise<ShownJob> {
  const { env, orgCode, id } = command;
  const { dryRun: dry_run, records } = choice;
  const kind = { kind: 'erase', dry_run, records } as const;
  const job = await beginJob(deps, command, kind, async ({ orgScope, row }) => {
    if (dry_run) return nothingAtOnce;
    requireConfirmation(choice, row.value);
    await requireAdmins(deps, command, orgScope);
    return closingChanges(orgScope, row, command.auditContext.at);
  });
  if (!dry_run) deps.revocations.bump(tokensKeyOf({ env, org: orgCode, sub: id }));
  return job;
}

/** @throws Problem `validation_failed`. */
function requireConfirmation({ confirm }: EraseChoice, { email }: AppUser): void {
  if (confirm !== undefined && emailKey(confirm) === emailKey(email)) return;
  const message = '`confirm` must be the email address of the account';
  throw invalidBody([{ pointer: '/confirm', code: confirm === undefined ? 'required' : 'mismatch', message }]);
}

/** @throws Problem `last_admin` where a workspace with other members would have no admin who can sign in. */
async function requireAdmins(
  deps: PersonalDataDeps,
  { env, orgCode, id, auditContext }: PersonCommand,
  orgScope: Scope,
): Promise<void> {
  for (const workspace of await workspacesOf({ deps, place: { env, orgCode }, orgScope }, id))
    try {
      await erasedMember(deps, { workspace, userId: id, auditCaller: auditContext }, []);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'last_admin') throw error;
      const name = workspace.tenantCode;
      throw new Problem(
        'last_admin',
        `the account is the last admin of workspace \`${name}\`, which has other members`,
      );
    }
}

/** From their commit on nothing signs in to the account, and its address is free. */
async function closingChanges(orgScope: Scope, row: Row<AppUser>, at: string): Promise<AtOnce> {
  const { password_hash: _, suspended_for, ...user } = row.value;
  const password = await passwordIdentities.read(orgScope, user.email);
  const verified = await verifiedEmails.read(orgScope, user.email);
  const isOwn = (one: Row<string> | undefined): one is Row<string> => one?.value === user.id;
  const other = suspended_for === undefined ? undefined : await appUsers.read(orgScope, suspended_for);
  const changes = [
    appUsers.replace(row, { ...withNextEpoch(user, at), is_erasing: true }),
    ...[password, verified].filter(isOwn).map(removeAsRead),
    ...(suspended_for === undefined ? [] : [suspendedAccounts.remove(user.id, 'any')]),
    ...(other === undefined ? [] : [appUsers.replace(other, released(other.value))]),
  ];
  return { changes, job: { counts: { ...noCounts, identities: isOwn(password) ? 1 : 0 } } };
}

export interface MergeChoice {
  readonly dryRun: boolean;
  /** The account that stays. */
  readonly into: string;
  /** What the preview has shown. */
  readonly seen: string | undefined;
}

export async function beginMerge(
  deps: PersonalDataDeps,
  command: PersonCommand,
  { dryRun: dry_run, into, seen }: MergeChoice,
): Promise<ShownJob> {
  const { env, orgCode, id: from } = command;
  if (from === into) throw new Problem('conflict', 'an account cannot be merged into itself');
  if (!mayBeId(into)) throw unknownAccount();
  await settleBoth(deps, command, into);
  const job = await beginJob(deps, command, { kind: 'merge', dry_run, into }, async ({ orgScope, row }) => {
    const other = await appUsers.read(orgScope, into);
    if (other === undefined) throw unknownAccount();
    for (const { value } of [row, other]) requireFree(value);
    if (dry_run) return nothingAtOnce;
    const work = { id: from, env, orgCode };
    const state = await gainsOf({ deps, work, orgScope }, { from, into });
    if (seen !== state.seen) throw notSeen(seen);
    const { gains } = state;
    const changes = await mergingChanges(orgScope, { row, other }, command.auditContext.at);
    return { changes, job: { gains, counts: { ...noCounts, memberships: gains.length } } };
  });
  if (!dry_run) for (const sub of [from, into]) deps.revocations.bump(tokensKeyOf({ env, org: orgCode, sub }));
  return job;
}

/** What an earlier merge has left to do comes first. */
async function settleBoth(
  deps: PersonalDataDeps,
  { env, orgCode, id, auditContext }: PersonCommand,
  into: string,
): Promise<void> {
  if (!mayBeId(id)) throw notFound();
  const orgScope = deps.stores[env].scope(orgScopeName(orgCode));
  const place = { env, orgCode, requestId: auditContext.request_id };
  for (const row of await appUsers.readMany(orgScope, [id, into]))
    if (row !== undefined) await settleAccounts(deps, place, row.value, auditContext);
}

function unknownAccount(): Problem {
  return invalidBody([
    { pointer: '/into', code: 'unknown_reference', message: '`into` must be the id of another account' },
  ]);
}

/** @throws Problem `conflict` where something else is decided about the account. */
function requireFree({ id, merged_into, is_erasing, suspended_for, suspends }: AppUser): void {
  if (merged_into !== undefined) throw new Problem('conflict', `account \`${id}\` was merged into \`${merged_into}\``);
  if (is_erasing === true) throw new Problem('conflict', `account \`${id}\` is being erased`);
  if (suspended_for !== undefined || suspends !== undefined)
    throw new Problem('conflict', `account \`${id}\` is part of a suspended password: decide that first`);
}

function notSeen(seen: string | undefined): Problem {
  if (seen !== undefined)
    return new Problem('conflict', 'what the account would gain has changed since the preview: look at it again');
  const message = '`seen` must be that of a preview of the merge';
  return invalidBody([{ pointer: '/seen', code: 'required', message }]);
}

interface Merging {
  readonly row: Row<AppUser>;
  readonly other: Row<AppUser>;
}

/** The password of the account that ends does not open the other one; its address does, with the other's password. */
async function mergingChanges(orgScope: Scope, { row, other }: Merging, at: string): Promise<readonly Change[]> {
  const { password_hash: _, ...from } = row.value;
  const user = withNextEpoch(other.value, at);
  const { holder, along } = await joinedAccounts(orgScope, { user, row: { ...row, value: from }, at });
  const [password, verified] = [
    await passwordIdentities.read(orgScope, from.email),
    await verifiedEmails.read(orgScope, from.email),
  ];
  const moved = [
    ...(password?.value === from.id ? [passwordIdentities.byKey.replace(password, other.value.id)] : []),
    ...(verified?.value === from.id ? [verifiedEmails.byKey.replace(verified, other.value.id)] : []),
  ];
  return [appUsers.replace(other, holder), ...along, ...moved];
}
