import type { Explanation, MatchedStatement } from '../access/decide.ts';
import type { Outcome } from '../access/ruling.ts';

/** A decision with what it came from, as builders are told of it. */
export interface DescribedDecision {
  readonly decision: Outcome;
  /** A sentence that names the statement which decided. */
  readonly reason: string;
  /** Every statement that had a part in it: those that matched, and then those that only their condition kept from it. */
  readonly matched: readonly DescribedStatement[];
  /** How many statements were looked at. */
  readonly considered: number;
}

export interface DescribedStatement {
  /** How the person came by it. A `draft` is held by nobody yet. */
  readonly source: 'direct' | 'group' | 'draft';
  readonly group?: string;
  readonly group_id?: string;
  readonly policy: string;
  readonly policy_id?: string;
  readonly Sid?: string;
  readonly Effect: 'Allow' | 'Deny';
  /** The pattern that the action matched. */
  readonly Action: string;
  readonly Resource: string;
  readonly matched: boolean;
  readonly broken?: MatchedStatement['broken'];
}

/** What statements are called that are in no policy yet. */
export const draftPolicy = { policyId: '', policyName: 'draft', via: { kind: 'direct' } } as const;

export function describeDecision(explanation: Explanation): DescribedDecision {
  const { decision, considered } = explanation;
  const matched = explanation.matched.map((statement) => describe(statement, true));
  return { decision, reason: reasonOf(decision, matched), matched, considered };
}

function describe(statement: MatchedStatement, matched: boolean): DescribedStatement {
  const { policyId, policyName, via, Sid, Effect, actionPattern, resourcePattern, broken } = statement;
  const isDraft = policyId === draftPolicy.policyId;
  return {
    source: isDraft ? 'draft' : via.kind,
    ...(via.kind === 'group' ? { group: via.groupName, group_id: via.groupId } : {}),
    policy: policyName,
    ...(isDraft ? {} : { policy_id: policyId }),
    ...(Sid === undefined ? {} : { Sid }),
    Effect,
    Action: actionPattern,
    Resource: resourcePattern,
    matched,
    ...(broken === undefined ? {} : { broken }),
  };
}

function reasonOf(decision: Outcome, matched: readonly DescribedStatement[]): string {
  const named = (effect: DescribedStatement['Effect']): string =>
    nameOf(matched.find((one) => one.matched && one.Effect === effect));
  switch (decision) {
    case 'allowed':
      return `${named('Allow')} allows it`;
    case 'explicit_deny':
      return `${named('Deny')} denies it, whatever else allows it`;
    case 'implicit_deny':
      return 'no statement allows it';
    case 'undecided':
      return 'it depends on what is not given';
  }
}

function nameOf(statement: DescribedStatement | undefined): string {
  if (statement === undefined) return 'a statement';
  const { Sid, policy, group } = statement;
  const which = Sid === undefined || Sid === '' ? 'a statement' : `statement \`${Sid}\``;
  return `${which} of policy \`${policy}\`${group === undefined ? '' : ` of group \`${group}\``}`;
}
