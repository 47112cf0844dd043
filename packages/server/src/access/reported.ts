import type { Explanation, MatchedStatement, ReportedStatement } from './explanation.ts';
import type { Outcome } from './ruling.ts';

/**
 * What statements that are only reported would change, each alone, of a decision that was made without them. A Deny with
 * fields takes fields away and denies no call.
 */
export function reportedBy({ matched }: Explanation, outcome: Outcome): readonly ReportedStatement[] {
  return matched
    .filter(({ broken, over_budget }) => broken === undefined && over_budget === undefined)
    .slice(0, reportedMax)
    .map((statement) => ({ ...statement, ...changeBy(statement, outcome) }));
}

const reportedMax = 20;

function changeBy({ Effect, Fields }: MatchedStatement, outcome: Outcome): Pick<ReportedStatement, 'would'> {
  if (Effect === 'Deny') return outcome === 'allowed' && Fields === undefined ? { would: 'deny' } : {};
  return outcome === 'implicit_deny' ? { would: 'allow' } : {};
}
