/** What an erasure would do, counted and not done. */
import { erasedMember, findMember } from '../../iam/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { isToGo, problemsMax } from './erase-records.ts';
import { invitationsTo } from './invitations-of-person.ts';
import type { NamedRecord, RecordsPage } from './named-records.ts';
import { withoutPerson } from './named-records.ts';
import { added, noCounts } from './person-job.ts';
import { eraseStays } from './report.ts';
import type { Found, FoundInRecords, Run, Worker } from './run.ts';
import { idsOf } from './steps.ts';

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
