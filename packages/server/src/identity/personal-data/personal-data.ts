/** What an org admin does about all data of one person: erases it, merges two accounts, or has it collected into a file. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { auditEntry } from '../../audit/audit-entry.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import { mayBeId } from '../../records/port.ts';
import type { Scope } from '../../store/port.ts';
import type { Row } from '../../store/table.ts';
import { type Environment, orgScopeName } from '../../tenancy/port.ts';
import {
  beginErase,
  beginJob,
  beginMerge,
  type EraseChoice,
  type MergeChoice,
  nothingAtOnce,
  type PersonalDataDeps,
  type PersonCommand,
} from './begin-job.ts';
import { readFile } from './person-file.ts';
import { isOver, type JobRow, jobPartition, personJobs, type ShownJob, shownJob } from './person-job.ts';

/** Its callers are org admins. Another org's accounts and jobs are not there. */
interface PersonalData {
  /** @throws Problem `not_found`, `validation_failed`, `conflict`, `last_admin`. */
  erase(command: PersonCommand, choice: EraseChoice): Promise<ShownJob>;
  /** Makes the account part of another one. @throws Problem `not_found`, `validation_failed`, `conflict`. */
  merge(command: PersonCommand, choice: MergeChoice): Promise<ShownJob>;
  /** @throws Problem `not_found`, `conflict`. */
  export(command: PersonCommand): Promise<ShownJob>;
  /** @throws Problem `invalid_cursor`. */
  list(orgCode: string, query: JobsQuery): Promise<JobsPage>;
  /** @throws Problem `not_found`. */
  show(orgCode: string, env: Environment, id: string): Promise<ShownJob>;
  /** The text of the file; a download has an entry in the audit log. @throws Problem `not_found`, `conflict`. */
  file(command: PersonCommand, isDownload: boolean): Promise<AsyncIterable<string>>;
}

export function createPersonalData(deps: PersonalDataDeps): PersonalData {
  return {
    erase: (command, choice) => beginErase(deps, command, choice),
    merge: (command, choice) => beginMerge(deps, command, choice),
    export: (command) => beginJob(deps, command, { kind: 'export', dry_run: false }, async () => nothingAtOnce),
    list: (orgCode, query) => listJobs(deps, orgCode, query),
    show: async (orgCode, env, id) => {
      const row = await requireJob(deps.stores[env].scope(orgScopeName(orgCode)), id);
      return shownJob(id, env, row.value, deps.clock.now());
    },
    file: (command, isDownload) => openFile(deps, command, isDownload),
  };
}

/** @throws Problem `not_found`. */
async function requireJob(orgScope: Scope, id: string): Promise<Row<JobRow>> {
  const row = mayBeId(id) ? await personJobs.read(orgScope, id) : undefined;
  if (row === undefined) throw notFound();
  return row;
}

async function openFile(
  { stores, clock }: PersonalDataDeps,
  { env, orgCode, id, auditContext }: PersonCommand,
  isDownload: boolean,
): Promise<AsyncIterable<string>> {
  const orgScope = stores[env].scope(orgScopeName(orgCode));
  const { value: job } = await requireJob(orgScope, id);
  if (job.kind !== 'export') throw notFound();
  if (!isOver(job)) throw new Problem('conflict', 'the export is not done yet');
  if (shownJob(id, env, job, clock.now()).file === null) throw notFound();
  const target = { kind: 'app_user', id: job.user_id };
  const entry = auditEntry(auditContext, { action: 'app_user.export_read', target, env, detail: { job: id } });
  if (isDownload) await orgScope.commit([entry]);
  return readFile(orgScope, id);
}

interface JobsQuery {
  readonly env: Environment;
  readonly userId: string | undefined;
  readonly pageSize: number;
  readonly nexttoken: string | undefined;
}

interface JobsPage {
  readonly items: readonly ShownJob[];
  readonly nexttoken: string | null;
}

const jobsPerRead = 50;
/** Of the jobs of an org, so many are looked at for the jobs of one account. Then the page is short, with a cursor. */
const looksMax = 500;

/** @throws Problem `invalid_cursor`. */
export async function listJobs(
  { stores, cursors, clock }: Pick<PersonalDataDeps, 'stores' | 'cursors' | 'clock'>,
  orgCode: string,
  { env, userId, pageSize, nexttoken }: JobsQuery,
): Promise<JobsPage> {
  const binding = ['person-jobs', orgCode, env, userId ?? ''];
  const orgScope = stores[env].scope(orgScopeName(orgCode));
  const limit = userId === undefined ? pageSize + 1 : jobsPerRead;
  const items: ShownJob[] = [];
  let before = nexttoken === undefined ? undefined : cursors.open(nexttoken, binding);
  for (let looks = 0; looks < looksMax; looks += limit) {
    const behind = before === undefined ? {} : { before };
    const rows = await personJobs.range(orgScope, jobPartition, { ...behind, reverse: true, limit });
    for (const { sk, value } of rows) {
      if (items.length === pageSize && before !== undefined) return { items, nexttoken: cursors.seal(before, binding) };
      if (userId === undefined || value.user_id === userId) items.push(shownJob(sk, env, value, clock.now()));
      before = sk;
    }
    if (rows.length < limit) return { items, nexttoken: null };
    // Reads need not wait for anything, and others want to be served too.
    await nextTurn();
  }
  return { items, nexttoken: before === undefined ? null : cursors.seal(before, binding) };
}
