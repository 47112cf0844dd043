/** The merge of an account into another one of the same person: what is done about each thing that is found. */
import { createHash } from 'node:crypto';
import { auditEntry } from '../audit/audit-entry.ts';
import { timestamp } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import type { OrgContext } from '../tenancy/port.ts';
import { eraseRecords } from './erase-person.ts';
import { type RecordsPage, withoutPerson } from './named-records.ts';
import type {
  Gain,
  MergedPair,
  PersonAccount,
  PersonDataDeps,
  PersonFindings,
  PersonJobRun,
  PersonJobStep,
  RecordFindings,
  Worker,
} from './person-data.ts';
import { added, idsOf, type JobRow, mergeStays, noCounts } from './person-job.ts';

export const mergeWorker: Worker = {
  account: settle,
  identity: () => ({ counts: { identities: 1 } }),
  records: eraseRecords,
  inWorkspace: 'merge',
  finish: endMerge,
};

export const mergePreviewWorker: Worker = {
  account: () => ({ counts: { accounts: 1 } }),
  identity: () => ({ counts: { identities: 1 } }),
  records: async (run, _workspace, page) => countRecords(run, page),
  inWorkspace: 'previewMerge',
  finish: previewGains,
};

async function endMerge({ deps, job, work }: PersonJobRun): Promise<PersonJobStep> {
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
async function settle({ deps, job, work, orgScope }: PersonJobRun, { id }: PersonAccount): Promise<PersonFindings> {
  const counts = { accounts: 1 };
  if (id !== job.user_id || job.into === undefined) return { counts };
  const into = await deps.accounts.read(orgScope, job.into);
  const place = { env: work.env, orgCode: work.orgCode, requestId: job.caller.request_id };
  if (into !== undefined) await deps.accounts.settle(place, into.value, job.caller);
  return { counts };
}

function countRecords({ job }: PersonJobRun, { named, next }: RecordsPage): RecordFindings {
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

async function previewGains(run: PersonJobRun): Promise<PersonJobStep> {
  const { deps, job, work } = run;
  if (job.into === undefined) return { job: over(job, deps.clock.now()) };
  const { gains, seen } = await gainsOf(deps, work, { from: job.user_id, into: job.into });
  const counts = added(job.counts, { memberships: gains.length });
  return { job: over({ ...job, counts, gains, seen }, deps.clock.now()) };
}

/** The new memberships that an account would get in each workspace by a merge. @throws what the store throws. */
export async function gainsOf({ holders }: Pick<PersonDataDeps, 'holders'>, place: OrgContext, pair: MergedPair) {
  const gains: Gain[] = [];
  const digest = createHash('sha256').update(JSON.stringify([pair.from, pair.into]));
  for (const holder of holders)
    for (const found of (await holder.gains?.(place, pair)) ?? []) {
      gains.push(found.gain);
      digest.update(JSON.stringify(found));
    }
  return { gains, seen: digest.digest('base64url') };
}
