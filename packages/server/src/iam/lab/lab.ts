import type { policyLabApi } from '@freehold/contract/management/access/policy-lab';
import type { QueryOf, ReplyOf } from '@freehold/contract/route';
import { Problem } from '../../lib/problem.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import { findWorkspace } from '../../tenancy/port.ts';
import { blockPolicyName } from '../policies/held-policies.ts';
import type { RecordedReport } from '../recording/recorded-rows.ts';
import { type DayDecision, type LabDeps, readRecorded } from './read-recorded.ts';
import { type ReplayRequest, replay, replayedMax } from './replay.ts';
import { type SuggestionQuery, suggest } from './suggest.ts';

/**
 * Tests policies on recorded calls. Each throws the Problem `not_found` for a workspace, policy or member that is not
 * there, and `rate_limited` while another replay or suggestion of the org is under way.
 */
export function createPolicyLab(deps: LabDeps) {
  /** The orgs that replay or ask for a suggestion. */
  const busy = new Set<string>();
  const alone = async <Answer>(orgCode: string, what: string, work: () => Promise<Answer>): Promise<Answer> => {
    if (busy.has(orgCode))
      throw new Problem(
        'rate_limited',
        `another replay or suggestion of this org is under way: ask for ${what} when it has ended`,
      );
    busy.add(orgCode);
    try {
      return await work();
    } finally {
      busy.delete(orgCode);
    }
  };
  return {
    replay: (orgCode: string, request: ReplayRequest) =>
      alone(orgCode, 'this one', () => replay(deps, orgCode, request)),
    suggest: (orgCode: string, request: SuggestionQuery) =>
      alone(orgCode, 'this one', () => suggest(deps, orgCode, request)),
    reported: (orgCode: string, request: ReportedQuery) => listReported(deps, orgCode, request),
  };
}

type ReportedQuery = QueryOf<typeof policyLabApi.listReported>;
type ReportedPage = ReplyOf<typeof policyLabApi.listReported>;
type ReportedUse = ReportedPage['items'][number];
type ReportedExample = ReportedUse['examples'][number];

const examplesMax = 5;

/** The changes that statements that are only reported would have made, by policy and position. */
async function listReported(
  deps: LabDeps,
  orgCode: string,
  { env, tenant_code: tenantCode, pagesize, nexttoken }: ReportedQuery,
): Promise<ReportedPage> {
  const workspace = await findWorkspace(deps.stores, { env, orgCode, tenantCode });
  const binding = ['acl-reported', env, workspace.scope.name];
  const after = nexttoken === undefined ? '' : deps.cursors.open(nexttoken, binding);
  const { decisions } = await readRecorded(deps, workspace, { limit: replayedMax, withBlocks: true });
  const pause = createYielder({ org: orgCode, workspace: 'builders' });
  const first = new FirstKeys(after, pagesize + 1);
  for (const { reports } of decisions) {
    await pause();
    for (const report of reports) first.add(keyOf(report));
  }
  const page = first.keys.slice(0, pagesize);
  const uses = new Map<string, ReportedUse>();
  for (const decision of decisions) {
    await pause();
    for (const report of decision.reports) {
      const key = keyOf(report);
      if (page.includes(key)) uses.set(key, added(uses.get(key), report, decision));
    }
  }
  const last = first.keys.length > page.length ? page.at(-1) : undefined;
  const items = page.flatMap((key) => rounded(uses.get(key)));
  return { items, nexttoken: last === undefined ? null : deps.cursors.seal(last, binding) };
}

/** The first keys of a page, in their order: there may be as many as a hundred thousand. */
class FirstKeys {
  readonly keys: string[] = [];
  readonly #after: string;
  readonly #most: number;

  constructor(after: string, most: number) {
    this.#after = after;
    this.#most = most;
  }

  add(key: string): void {
    const isPast = this.keys.length >= this.#most && key > (this.keys.at(-1) ?? '');
    if (key <= this.#after || isPast || this.keys.includes(key)) return;
    const place = this.keys.findIndex((other) => other > key);
    this.keys.splice(place === -1 ? this.keys.length : place, 0, key);
    if (this.keys.length > this.#most) this.keys.pop();
  }
}

function rounded(use: ReportedUse | undefined): readonly ReportedUse[] {
  if (use === undefined) return [];
  return [{ ...use, would_deny: Math.round(use.would_deny), would_allow: Math.round(use.would_allow) }];
}

/** A logic block's own policies have no id, and the name of their block. Another statement may have taken a place. */
function keyOf({ policy_id, policy, index, Effect, Sid = '' }: RecordedReport): string {
  return `${policy_id === '' ? policy : policy_id} ${String(index).padStart(4, '0')} ${Effect} ${Sid}`;
}

function added(known: ReportedUse | undefined, report: RecordedReport, decision: DayDecision): ReportedUse {
  const { policy_id, policy, index, Sid, Effect, would, calls, last_at } = report;
  const isLast = known === undefined || known.last_at <= last_at;
  return {
    ...{ policy_id, index, Effect },
    ...(policy_id === '' ? { logicblock: policy.slice(blockPolicyName('').length) } : {}),
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

function exampleOf(
  { would, last_at }: RecordedReport,
  { user_id, action, shape, samples }: DayDecision,
): ReportedExample {
  const sample = samples.find(({ at }) => at === last_at) ?? samples.at(-1);
  return { user_id, action, resource: sample?.resource ?? shape, at: sample?.at ?? last_at, would };
}
