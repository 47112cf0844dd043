import type { accessApi } from '@freehold/contract/management/access';
import type { ReplyOf } from '@freehold/contract/route';
import type { AccessContext, CompiledAccess, Explanation } from '../../access/port.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { secretToken } from '../../lib/ids.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import { type DescribedDecision, explainCall, type MatchedStatement, overBudget } from './describe-decision.ts';
import { withSecrets } from './request-values.ts';

/** A denial, kept so that a builder can see why it came about. The app's user only learns its id. */
export interface LoggedDecision extends Omit<ReplyOf<typeof accessApi.readDecision>, keyof DescribedDecision> {
  readonly explanation?: Explanation;
}

type NewDecision = Omit<LoggedDecision, 'decision_id' | 'at'>;

export interface DecisionLog {
  /** Keeps a denial and returns its id. */
  add(orgCode: string, decision: NewDecision): string;
  find(orgCode: string, by: { readonly decisionId?: string; readonly requestId?: string }): LoggedDecision | undefined;
  /** The last denials, the latest first. */
  latest(orgCode: string, request: DenialQuery): readonly LoggedDecision[];
}

/** Those of one environment, workspace or user alone, where one is named. */
interface DenialQuery {
  readonly env?: Environment | undefined;
  readonly tenantCode?: string | undefined;
  readonly userId?: string | undefined;
  readonly limit: number;
}

/** A caller with hundreds of statements is denied by one of them as well as by all. */
const matchedMax = 20;
const reportedMax = 5;
/** The compared values may come from the body of a request, and many denials are kept. */
const nearMax = 10;
const valuesMax = 5;
const lengthMax = 128;

/** One request with many denials must not push out those of all the others. */
const perRequestMax = 10;

/** As much of a denial as the log keeps. */
export function asKept(decision: NewDecision): NewDecision {
  return { ...decision, ...shortened(decision.explanation) };
}

function shortened(explanation: LoggedDecision['explanation']): Pick<LoggedDecision, 'explanation'> {
  if (explanation === undefined) return {};
  const matched = explanation.matched.slice(0, matchedMax).map(withoutConditions);
  const near = explanation.near.slice(0, nearMax).map((one) => {
    const statement = withoutConditions(one);
    const { failed_condition } = statement;
    if (failed_condition === undefined) return statement;
    const actual = failed_condition.actual.slice(0, valuesMax).map((value) => value.slice(0, lengthMax).toWellFormed());
    return { ...statement, failed_condition: { ...failed_condition, actual } };
  });
  const reported = explanation.reported?.slice(0, reportedMax).map(withoutConditions);
  return { explanation: { ...explanation, matched, near, ...(reported === undefined ? {} : { reported }) } };
}

/** They belong to policies, which would be kept with them. */
function withoutConditions<Statement extends MatchedStatement>({ conditions: _, ...rest }: Statement) {
  return rest;
}

interface Denial extends Omit<NewDecision, 'explanation'> {
  readonly orgCode: string;
  readonly access: CompiledAccess;
  readonly context: () => AccessContext;
  /** The entity that it is about, if any. */
  readonly entity: CompiledEntity | undefined;
}

interface ExplainedDenial {
  readonly decision_id: string;
  readonly decision: Explanation['decision'];
  /** The end of a sentence about it. */
  readonly why: string;
}

/** Keeps a denial so that a builder can look it up. */
export function logDenial(
  log: Pick<DecisionLog, 'add'>,
  { orgCode, access, context, entity, ...denied }: Denial,
): ExplainedDenial {
  const explanation = explainCall(access, denied, () => withSecrets(context(), entity));
  const decision_id = log.add(orgCode, { ...denied, explanation });
  const { decision, over_budget } = explanation;
  const why = decision === 'explicit_deny' ? 'a policy denies it' : 'no policy allows it';
  return { decision_id, decision, why: over_budget === true ? overBudget : why };
}

/** In memory: the last denials of each org, for the orgs denied to most recently. */
export function createDecisionLog(
  clock: Clock,
  { orgsMax = 1000, perOrgMax = 200 }: { readonly orgsMax?: number; readonly perOrgMax?: number } = {},
): DecisionLog {
  const orgs = new BoundedMap<string, LoggedDecision[]>(orgsMax);
  return {
    add: (orgCode, decision) => {
      const decision_id = `d_${secretToken().slice(0, 22)}`;
      const ring = orgs.get(orgCode) ?? [];
      const isOfRequest = ({ request_id }: LoggedDecision): boolean => request_id === decision.request_id;
      if (ring.filter(isOfRequest).length >= perRequestMax) return decision_id;
      ring.push({ decision_id, at: timestamp(clock.now()), ...asKept(decision) });
      if (ring.length > perOrgMax) ring.shift();
      orgs.set(orgCode, ring);
      return decision_id;
    },
    find: (orgCode, by) =>
      orgs.get(orgCode)?.find((logged) => logged.decision_id === by.decisionId || logged.request_id === by.requestId),
    latest: (orgCode, { env, tenantCode, userId, limit }) =>
      (orgs.get(orgCode) ?? [])
        .filter(
          (logged) =>
            (env ?? logged.env) === logged.env &&
            (tenantCode ?? logged.tenant_code) === logged.tenant_code &&
            (userId ?? logged.user_id) === logged.user_id,
        )
        .slice(-limit)
        .reverse(),
  };
}
