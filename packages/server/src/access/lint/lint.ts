import { parseStatements } from '../statement.ts';
import { findRenamed, findUnreadableReferences, findWrongFields } from './fields.ts';
import { type Finding, knownRequests, type LintedApp, type LintRule, lintedStatement } from './linted-policy.ts';
import { findBroad, findFurtherReach, findRouteActions, findShadowed, findUnreached } from './reach.ts';
import { findHeldByMissing, findOverBudget, findWrongStates } from './values.ts';

const rules: readonly LintRule[] = [
  findUnreached,
  findFurtherReach,
  findShadowed,
  findBroad,
  findRouteActions,
  findHeldByMissing,
  findWrongFields,
  findRenamed,
  findWrongStates,
  findUnreadableReferences,
  findOverBudget,
];

const findingsMax = 200;
/** About 50 ms of comparing. */
const stepsMax = 2_000_000;

/**
 * The findings to review before these statements become a policy: everything that a policy would be refused for, and
 * statements that likely do not mean what they say. The worst comes first.
 */
export function lintStatements(input: unknown, app: LintedApp): readonly Finding[] {
  const parsed = parseStatements(input);
  const mistakes = 'errors' in parsed ? parsed.errors : [];
  const isReadable = Array.isArray(input) && !mistakes.some(({ pointer }) => pointer === '');
  const elements: readonly unknown[] = isReadable ? input : [];
  const statements = elements
    .map((element, index) => lintedStatement(element, `/statements/${index}`))
    .filter((statement) => statement !== undefined);
  const policy = { ...app, statements, requests: knownRequests(app), effort: { stepsLeft: stepsMax } };
  const findings: readonly Finding[] = [
    ...mistakes.map(
      (mistake): Finding => ({ ...mistake, severity: 'error', pointer: `/statements${mistake.pointer}` }),
    ),
    ...rules.flatMap((rule) => rule(policy)),
    ...(policy.effort.stepsLeft < 0 ? [unfinished] : []),
  ];
  return findings.toSorted((left, right) => rank[left.severity] - rank[right.severity]).slice(0, findingsMax);
}

const rank = { error: 0, warning: 1, info: 2 } as const;

const unfinished: Finding = {
  severity: 'info',
  code: 'unfinished',
  pointer: '/statements',
  message: 'there is too much to compare: not everything was checked',
};
