import { covers, type Pattern } from '../../access/port.ts';
import type { Finding, LintedPattern, LintedPolicy, LintedStatement } from './linted-policy.ts';

/** Allows that change nothing: a Deny takes away all that they give, or another Allow of the policy gives it too. */
export function findShadowed(policy: LintedPolicy): readonly Finding[] {
  const { statements } = policy;
  return statements.flatMap((statement, index): readonly Finding[] => {
    if (statement.Effect === 'Deny') return [];
    const others = statements.filter(
      (other, position) =>
        other !== statement &&
        (statement.isReportOnly || !other.isReportOnly) &&
        covered(policy, other, statement) &&
        !(other.Effect === 'Allow' && position > index && covered(policy, statement, other)),
    );
    const deny = others.find(({ Effect }) => Effect === 'Deny');
    const allow = others.find(({ Effect }) => Effect === 'Allow');
    const { pointer } = statement;
    if (deny !== undefined) {
      const message = `the Deny at \`${deny.pointer}\` denies all that this statement allows`;
      return [{ severity: 'warning', code: 'shadowed_by_deny', pointer, message }];
    }
    if (allow === undefined) return [];
    const message = `the statement at \`${allow.pointer}\` allows all of this as well`;
    return [{ severity: 'info', code: 'redundant', pointer, message }];
  });
}

/** A wider statement has neither condition nor fields, so that it applies wherever the narrower one does. */
function covered(policy: LintedPolicy, wide: LintedStatement, narrow: LintedStatement): boolean {
  if (wide.terms.length > 0 || wide.fields !== undefined) return false;
  return (
    narrow.actions.every((action) => coveredBy(policy, wide.actions, action)) &&
    narrow.resources.every((resource) => coveredBy(policy, wide.resources, resource))
  );
}

function coveredBy({ effort }: LintedPolicy, wide: readonly LintedPattern[], narrow: LintedPattern): boolean {
  return wide.some((pattern) => pattern.text === narrow.text || coversAll(pattern, narrow.reach));

  function coversAll(pattern: LintedPattern, reach: Pattern): boolean {
    // What a variable stands for is not known, so a pattern with one covers nothing but itself.
    return !pattern.text.includes('$') && covers(pattern.reach, reach, effort);
  }
}
