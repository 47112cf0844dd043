import { parseStatements } from '../../access/port.ts';
import { findBroad } from './broad.ts';
import { findWrongFields } from './fields.ts';
import { knownRequests } from './known-requests.ts';
import { type Finding, type LintedEntity, type LintRule, lintedStatement } from './linted-policy.ts';
import { findHeldByMissing } from './missing-values.ts';
import { findOverBudget } from './over-budget.ts';
import { findFurtherReach, findUnreached } from './reach.ts';
import { findUnreadableReferences } from './references.ts';
import { findRenamed } from './renamed.ts';
import { findRouteActions } from './route-actions.ts';
import { findShadowed } from './shadowed.ts';
import { findWrongStates } from './states.ts';

export type { Finding, LintedEntity } from './linted-policy.ts';

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
 * What the author should review before these statements become a policy: everything that a policy would be refused for,
 * and what is likely not to mean what it says. The worst comes first.
 * @param blocks the names of the logic blocks that policies may name.
 */
export function lintStatements(
  input: unknown,
  entities: readonly LintedEntity[],
  blocks: readonly string[] = [],
): readonly Finding[] {
  const parsed = parseStatements(input);
  const mistakes = 'errors' in parsed ? parsed.errors : [];
  const isReadable = Array.isArray(input) && !mistakes.some(({ pointer }) => pointer === '');
  const elements: readonly unknown[] = isReadable ? input : [];
  const statements = elements
    .map((element, index) => lintedStatement(element, `/statements/${index}`))
    .filter((statement) => statement !== undefined);
  const policy = { statements, entities, requests: knownRequests(entities, blocks), effort: { stepsLeft: stepsMax } };
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
