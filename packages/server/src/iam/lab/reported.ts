import type { policyLabApi } from '@freehold/contract/management/lab/policy-lab';
import type { QueryOf, ReplyOf } from '@freehold/contract/route';
import { findWorkspace } from '../founding/find-workspace.ts';
import type { RecordedReport } from '../recording/recorded-rows.ts';
import type { LabDeps } from './lab-deps.ts';
import { type DayDecision, readRecorded } from './read-recorded.ts';
import { replayedMax } from './replay.ts';

type ReportedPage = ReplyOf<typeof policyLabApi.listReported>;
type ReportedUse = ReportedPage['items'][number];
type Example = ReportedUse['examples'][number];

const examplesMax = 5;

/** What statements that are only reported would have changed, by policy and place. */
export async function listReported(
  deps: LabDeps,
  orgCode: string,
  { env, tenant_code: tenantCode, pagesize, nexttoken }: QueryOf<typeof policyLabApi.listReported>,
): Promise<ReportedPage> {
  const workspace = await findWorkspace(deps.stores, { env, orgCode, tenantCode });
  const binding = ['acl-reported', env, workspace.scope.name];
  const after = nexttoken === undefined ? '' : deps.cursors.open(nexttoken, binding);
  const { decisions } = await readRecorded(deps, workspace, { limit: replayedMax });
  const uses = new Map<string, ReportedUse>();
  for (const decision of decisions)
    for (const report of decision.reports) uses.set(keyOf(report), added(uses.get(keyOf(report)), report, decision));
  const left = [...uses].filter(([key]) => key > after).sort(([one], [other]) => (one < other ? -1 : 1));
  const page = left.slice(0, pagesize);
  const last = left.length > page.length ? page.at(-1) : undefined;
  const items = page.map(([, { would_deny, would_allow, ...use }]) => ({
    ...use,
    would_deny: Math.round(would_deny),
    would_allow: Math.round(would_allow),
  }));
  return { items, nexttoken: last === undefined ? null : deps.cursors.seal(last[0], binding) };
}

function keyOf({ policy_id, index, Effect }: RecordedReport): string {
  return `${policy_id} ${String(index).padStart(4, '0')} ${Effect}`;
}

function added(known: ReportedUse | undefined, report: RecordedReport, decision: DayDecision): ReportedUse {
  const { policy_id, policy, index, Sid, Effect, would, calls, last_at } = report;
  const isLast = known === undefined || known.last_at <= last_at;
  return {
    ...{ policy_id, index, Effect },
    ...(isLast ? { policy, ...(Sid === undefined ? {} : { Sid }) } : named(known)),
    would_deny: (known?.would_deny ?? 0) + (would === 'deny' ? calls : 0),
    would_allow: (known?.would_allow ?? 0) + (would === 'allow' ? calls : 0),
    last_at: isLast ? last_at : known.last_at,
    examples: [...(known?.examples ?? []), exampleOf(report, decision)].slice(0, examplesMax),
  };
}

function named({ policy, Sid }: ReportedUse): Pick<ReportedUse, 'policy' | 'Sid'> {
  return { policy, ...(Sid === undefined ? {} : { Sid }) };
}

function exampleOf({ would, last_at }: RecordedReport, { user_id, action, shape, samples }: DayDecision): Example {
  const sample = samples.find(({ at }) => at === last_at) ?? samples.at(-1);
  return { user_id, action, resource: sample?.resource ?? shape, at: sample?.at ?? last_at, would };
}
