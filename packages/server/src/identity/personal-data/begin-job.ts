/** How a job about a person begins: in one commit with all that it changes at once. */
import { auditEntry } from '../../audit/audit-entry.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import { type Cursors, mayBeId } from '../../records/port.ts';
import type { Change, Scope } from '../../store/port.ts';
import type { Row } from '../../store/table.ts';
import { type Plan, transact } from '../../store/transact.ts';
import { type Environment, orgScopeName } from '../../tenancy/port.ts';
import { type AppUser, appUsers } from '../app-users/app-user.ts';
import type { OrgUserCommand } from '../org-users/account.ts';
import {
  type JobRow,
  jobPartition,
  keptMilliseconds,
  livePartition,
  livePersonJobs,
  noCounts,
  personJobs,
  personWork,
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
export interface AtOnce {
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
