import type { accessApi } from '@freehold/contract/management/access';
import type { ReplyOf } from '@freehold/contract/route';
import type { AccessContext, CompiledAccess, Explanation } from '../../access/port.ts';

/** A statement with the first of its patterns that matched. */
export type MatchedStatement = Explanation['matched'][number];

/** A decision with its reasons, as builders see it. */
export type DescribedDecision = Pick<
  ReplyOf<typeof accessApi.simulateAccess>,
  'decision' | 'reason' | 'matched' | 'reported' | 'record_state' | 'considered' | 'over_budget'
>;

/** A statement that had a part in it: first those that matched, then those that only their condition kept from it. */
type DescribedStatement = DescribedDecision['matched'][number];

/** The policy name of statements that are in no policy yet. */
export const draftPolicy = { policyId: '', policyName: 'draft', via: { kind: 'direct' } } as const;

export function describeDecision(
  explanation: Explanation,
  { withConditions = false }: { readonly withConditions?: boolean } = {},
): DescribedDecision {
  const { decision, considered, over_budget, record_state } = explanation;
  const reported = (statement: MatchedStatement, matched: boolean): DescribedStatement => ({
    ...describe(statement, matched),
    ...(withConditions ? conditionsOf(statement) : {}),
  });
  const reports = (explanation.reported ?? []).map((statement) => ({
    ...reported(statement, true),
    ...changeBy(statement),
  }));
  const state = {
    ...(reports.length === 0 ? {} : { reported: reports }),
    ...(record_state === undefined ? {} : { record_state }),
  };
  const matched = [
    ...explanation.matched.map((statement) => reported(statement, true)),
    ...explanation.near.map((statement) => ({ ...reported(statement, false), ...failureOf(statement) })),
  ];
  const reason = reasonOf(decision, decisiveStatement({ decision, matched }));
  if (over_budget === undefined) return { decision, reason, matched, ...state, considered };
  return { decision, reason: `${reason}: ${overBudget}`, matched, ...state, considered, over_budget };
}

function changeBy({ would }: NonNullable<Explanation['reported']>[number]): Pick<DescribedStatement, 'Mode' | 'would'> {
  return { Mode: 'report', ...(would === undefined ? {} : { would }) };
}

const valuesShown = 20;
const lengthShown = 256;

function conditionsOf({ conditions }: MatchedStatement): Pick<DescribedStatement, 'conditions'> {
  if (conditions === undefined) return {};
  const shown = (value: string): string =>
    value.length > lengthShown ? `${value.slice(0, lengthShown)}…`.toWellFormed() : value;
  return {
    conditions: conditions.map(({ operator, key, expected }) => ({
      operator,
      key,
      expected: expected.slice(0, valuesShown).map(shown),
    })),
  };
}

/** The end of a sentence about a decision that took more steps than one may. */
export const overBudget =
  'a sent or stored value is too long for the patterns that it is compared with: a Deny that was not evaluated completely applies, and such an Allow does not';

/** The statement that the decision comes from; of an undecided one, a statement that it depends on. */
export function decisiveStatement({
  decision,
  matched,
}: Pick<DescribedDecision, 'decision' | 'matched'>): DescribedStatement | undefined {
  switch (decision) {
    case 'allowed':
      return matched.find((one) => one.matched && one.Effect === 'Allow');
    case 'explicit_deny':
      return matched.find((one) => one.matched && one.Effect === 'Deny' && one.Fields === undefined);
    case 'implicit_deny':
      return undefined;
    case 'undecided':
      return matched.find((one) => one.open === true);
  }
}

function failureOf({
  failed_condition,
  over_budget,
}: Explanation['near'][number]): Pick<DescribedStatement, 'failed_condition' | 'open'> {
  if (over_budget === true) return {};
  return failed_condition === undefined ? { open: true } : { failed_condition };
}

function describe(statement: MatchedStatement, matched: boolean): DescribedStatement {
  const {
    policyId,
    policyName,
    via,
    index,
    Sid,
    Effect,
    actionPattern,
    resourcePattern,
    Fields,
    renamed,
    ambiguous,
    broken,
    over_budget,
  } = statement;
  const isDraft = policyId === draftPolicy.policyId;
  return {
    source: isDraft ? 'draft' : via.kind,
    ...(via.kind === 'group' ? { group: via.groupName, group_id: via.groupId } : {}),
    policy: policyName,
    ...(isDraft ? {} : { policy_id: policyId }),
    index,
    ...(Sid === undefined ? {} : { Sid }),
    Effect,
    Action: actionPattern,
    Resource: resourcePattern,
    ...(Fields === undefined ? {} : { Fields }),
    ...(renamed === undefined ? {} : { renamed: [...renamed] }),
    ...(ambiguous === undefined ? {} : { ambiguous }),
    matched,
    ...(over_budget === undefined ? {} : { over_budget }),
    ...(broken === undefined ? {} : { broken }),
  };
}

function reasonOf(decision: Explanation['decision'], decisive: DescribedStatement | undefined): string {
  switch (decision) {
    case 'allowed':
      return `${nameOf(decisive)} allows it`;
    case 'explicit_deny':
      return `${nameOf(decisive)} denies it, whatever else allows it`;
    case 'implicit_deny':
      return 'no statement allows it';
    case 'undecided':
      return `${nameOf(decisive)} depends on values that are not given`;
  }
}

function nameOf(statement: DescribedStatement | undefined): string {
  if (statement === undefined) return 'a statement';
  const { Sid, policy, group } = statement;
  const which = Sid === undefined || Sid === '' ? 'a statement' : `statement \`${Sid}\``;
  return `${which} of policy \`${policy}\`${group === undefined ? '' : ` of group \`${group}\``}`;
}

/** Why a call is decided as it is, with the statements that apply and are only reported. */
export function explainCall(
  access: CompiledAccess,
  { action, resource }: { readonly action: string; readonly resource: string },
  context: () => AccessContext,
): Explanation {
  const explanation = access.explain(action, resource, context);
  const reported = access.reports({ action, resource, outcome: explanation.decision }, context);
  return reported.length === 0 ? explanation : { ...explanation, reported };
}
