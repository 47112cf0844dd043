import {
  type AccessContext,
  type CompiledAccess,
  decisionSteps,
  type Effort,
  type Explanation,
  RecordedValues,
} from '../../access/port.ts';
import { knownAddress } from '../../lib/network/network-key.ts';
import type { RecordedCall } from './recorded-rows.ts';

/** Whose call it was. */
export interface RecordedCaller {
  readonly user: AccessContext['user'];
  readonly tenant: AccessContext['tenant'];
}

interface RecordedRequest {
  readonly caller: RecordedCaller;
  readonly action: string;
  readonly call: RecordedCall;
}

/** The context of a call as far as it was kept. */
function contextsOf({ caller, call }: RecordedRequest): readonly AccessContext[] {
  const { at, method, resource, params, ip, origin, looks } = call;
  return looks.map((look) => ({
    ...caller,
    request: {
      ...{ method, path: resource, pathParameters: params, queryParameters: new Map(), time: Date.parse(at) },
      ip: knownAddress(ip),
      ...(origin === undefined ? {} : { origin }),
    },
    jwt: {},
    kept: new RecordedValues(look),
  }));
}

/**
 * Decides a recorded call by other policies, or by those of another day. `undecided` where they ask for what was not kept.
 * @param total what all decisions together may still take.
 */
export function decideAgain(access: CompiledAccess, request: RecordedRequest, total: Effort): Explanation['decision'] {
  let outcome: Explanation['decision'] = 'allowed';
  for (const context of contextsOf(request)) {
    const effort: Effort = { stepsLeft: decisionSteps };
    const ruling = access.rule(request.action, request.call.resource, () => context, effort);
    total.stepsLeft -= stepsOfDecision + decisionSteps - Math.max(0, effort.stepsLeft);
    if (ruling.outcome === 'explicit_deny' || ruling.outcome === 'implicit_deny') return ruling.outcome;
    if (ruling.outcome === 'undecided') outcome = 'undecided';
  }
  return outcome;
}

/** The steps of a decision without its comparisons. */
const stepsOfDecision = 500;

/** Why it is decided so: by the look that decides. */
export function explainAgain(access: CompiledAccess, request: RecordedRequest, total: Effort): Explanation {
  const [first, ...others] = explainLooks(access, request, total);
  if (first === undefined) return { decision: 'undecided', matched: [], near: [], considered: 0 };
  return others.reduce((worst, one) => (rank[one.decision] < rank[worst.decision] ? one : worst), first);
}

/** The same for each look: what allows a record before an update need not allow it after. */
export function explainLooks(access: CompiledAccess, request: RecordedRequest, total: Effort): readonly Explanation[] {
  const { action, call } = request;
  return contextsOf(request).map((context) => {
    const explanation = access.explain(action, call.resource, () => context);
    total.stepsLeft -= stepsOfDecision * (1 + explanation.considered);
    return explanation;
  });
}

const rank = { explicit_deny: 0, implicit_deny: 1, undecided: 2, allowed: 3 } as const;

/** The changes that only reported statements would make to it. */
export function reportsAgain(
  access: CompiledAccess,
  request: RecordedRequest,
  outcome: Explanation['decision'],
): ReturnType<CompiledAccess['reports']> {
  const { action, call } = request;
  const [first, ...others] = contextsOf(request).map((context) =>
    access
      .reports({ action, resource: call.resource, outcome }, () => context)
      .filter(({ would }) => would !== undefined),
  );
  if (first === undefined) return [];
  // A Deny on any state of the record denies the call; an Allow has to allow each.
  const isIn = (all: typeof first, { policyId, index }: (typeof first)[number]): boolean =>
    all.some((one) => one.policyId === policyId && one.index === index);
  const denies = [first, ...others].flat().filter(({ would }) => would === 'deny');
  const allows = first.filter((one) => one.would === 'allow' && others.every((other) => isIn(other, one)));
  return [...new Map([...denies, ...allows].map((one) => [`${one.policyId} ${one.index}`, one])).values()];
}
