import type { policyLabApi } from '@freehold/contract/management/access/policy-lab';
import type { QueryOf, ReplyOf } from '@freehold/contract/route';
import type { Effort, Explanation } from '../../access/port.ts';
import { Problem } from '../../lib/problem.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import { systemData } from '../../records/port.ts';
import { findWorkspace, type Workspace } from '../../tenancy/port.ts';
import { groupLink, linksTo, policyLink } from '../members/links.ts';
import { memberOf } from '../members/member.ts';
import { groupsWith, policyIdsOf, readRecords } from '../policies/held-policies.ts';
import { explainLooks } from '../recording/decide-again.ts';
import type { LabDeps } from './read-recorded.ts';
import { LabPeople, type LabPerson, type Recorded, readRecorded, weightedCalls } from './read-recorded.ts';
import { peopleMax, replayedMax, stepsMax } from './replay.ts';
import { deniesAbout, SuggestedStatements, UsedStatements } from './suggested-statements.ts';

export type SuggestionQuery = QueryOf<typeof policyLabApi.suggestPolicy>;
type Suggestion = ReplyOf<typeof policyLabApi.suggestPolicy>;

const groupsMax = 20;
const fewDays = 7;
const fewCalls = 100;

/** The least that lets members go on with what they did, by the statements that allowed it. */
export async function suggest(deps: LabDeps, orgCode: string, request: SuggestionQuery): Promise<Suggestion> {
  const { env, tenant_code: tenantCode } = request;
  const workspace = await findWorkspace(deps.stores, { env, orgCode, tenantCode });
  const members = await membersOf(workspace, request);
  const recorded = await readRecorded(deps, workspace, { limit: replayedMax });
  const used = new StatementUses(workspace, members);
  await used.read(recorded);
  return used.suggestion(recorded, members.truncated);
}

interface ChosenMembers {
  readonly userIds: readonly string[];
  readonly truncated: boolean;
  /**
   * The policies that the suggestion would take the place of; undefined for all that a member holds. What other policies
   * allow one member is none of what every holder of these needs.
   */
  readonly policyIds: ReadonlySet<string> | undefined;
}

/** @throws Problem `not_found`, and `invalid_request` unless one of three is asked for. */
async function membersOf(
  workspace: Workspace,
  { user_id, policy_id, group_id }: SuggestionQuery,
): Promise<ChosenMembers> {
  if ([user_id, policy_id, group_id].filter((one) => one !== undefined).length !== 1)
    throw new Problem('invalid_request', 'send exactly one of `user_id`, `policy_id` and `group_id`');
  if (user_id !== undefined)
    return { userIds: [(await memberOf(workspace, user_id)).id], truncated: false, policyIds: undefined };
  const [entity, id] =
    policy_id === undefined ? (['group', group_id ?? ''] as const) : (['aclpolicy', policy_id] as const);
  const [record] = await readRecords(workspace, entity, [id]);
  if (record === undefined)
    throw new Problem(
      'not_found',
      `there is no ${entity === 'group' ? 'group' : 'policy'} \`${id}\` in \`${workspace.tenantCode}\``,
    );
  const groups =
    policy_id === undefined
      ? [id]
      : (await groupsWith(workspace.scope, policy_id, groupsMax + 1)).map((group) => systemData(group).id);
  const direct = policy_id === undefined ? [] : [{ kind: policyLink, id: policy_id }];
  const found = new Set<string>();
  for (const through of [...direct, ...groups.slice(0, groupsMax).map((group) => ({ kind: groupLink, id: group }))])
    for (const { item } of await linksTo(workspace.scope, through.kind, { id: through.id, limit: peopleMax + 1 }))
      found.add(String(systemData(item).user_id));
  const userIds = [...found].slice(0, peopleMax);
  const policyIds = new Set(policy_id === undefined ? policyIdsOf(systemData(record)) : [id]);
  return { userIds, truncated: found.size > userIds.length || groups.length > groupsMax, policyIds };
}

/** The allowed actions of members, and the statements by which they may do them now. */
class StatementUses {
  readonly #members: ReadonlySet<string>;
  readonly #policyIds: ChosenMembers['policyIds'];
  readonly #people: LabPeople;
  readonly #effort: Effort = { stepsLeft: stepsMax };
  readonly #pause: () => Promise<void> | undefined;
  readonly #suggested = new SuggestedStatements();
  readonly #used = new UsedStatements();
  readonly #days = new Set<string>();
  #decisions = 0;
  #represents = 0;
  #isCut = false;

  constructor(workspace: Workspace, { userIds, policyIds }: ChosenMembers) {
    this.#members = new Set(userIds);
    this.#policyIds = policyIds;
    this.#people = new LabPeople(workspace);
    this.#pause = createYielder({ org: workspace.orgCode, workspace: 'builders' }, () => -this.#effort.stepsLeft);
  }

  async read({ decisions, truncated }: Recorded): Promise<void> {
    this.#isCut = truncated;
    for (const userId of [...this.#members]) {
      const person = await this.#people.person(userId);
      if (person !== undefined) this.#used.hold(person.held.filter((one) => this.#isChosen(one)));
      await this.#pause();
    }
    for (const decision of decisions) {
      if (decision.outcome !== 'allowed' || !this.#members.has(decision.user_id)) continue;
      const person = await this.#people.person(decision.user_id);
      if (person === undefined) continue;
      this.#days.add(decision.day);
      for (const { call, calls } of weightedCalls(decision)) {
        await this.#pause();
        if (this.#effort.stepsLeft < 0) {
          this.#isCut = true;
          return;
        }
        this.#decisions += 1;
        this.#represents += calls;
        const request = { caller: person.caller, action: decision.action, call };
        this.#note(person, decision, explainLooks(this.#people.access(person.held), request, this.#effort));
      }
    }
  }

  /** @param looks at the states of the record: each of them needs a statement that allows it. */
  #note(person: LabPerson, decision: Recorded['decisions'][number], looks: readonly Explanation[]): void {
    const { action, shape, calls, samples } = decision;
    if (looks.some((look) => look.decision !== 'allowed' && look.decision !== 'undecided')) return;
    const isChosen = (one: MatchedStatement): boolean => this.#isChosen(one);
    for (const statement of looks.flatMap((look) => neededOf(look, { isChosen, hasOthers: calls > samples.length }))) {
      const { policyId, index } = statement;
      const statements = person.held.find((one) => one.policyId === policyId)?.statements;
      const stored: unknown = Array.isArray(statements) ? statements[index] : undefined;
      if (stored === undefined) continue;
      this.#suggested.add(stored, { action, shape, Effect: 'Allow' });
      this.#used.use(statement, action);
    }
    if (this.#policyIds !== undefined) return;
    // A list holds what getting the record is not denied for.
    const get = action.replace(/^(?:list|count)/, 'get');
    for (const about of new Set([action, get]))
      for (const stored of deniesAbout(person.held, about))
        this.#suggested.add(stored, { action: about, shape, Effect: 'Deny' });
  }

  #isChosen({ policyId }: Pick<MatchedStatement, 'policyId'>): boolean {
    return this.#policyIds?.has(policyId) ?? true;
  }

  async suggestion({ since, not_recorded }: Recorded, isEveryMemberLeftOut: boolean): Promise<Suggestion> {
    if (this.#policyIds !== undefined) {
      // A Deny of these also denies actions that other policies allow.
      for (const stored of this.#used.denies()) this.#suggested.keep(stored);
      for (const stored of this.#used.reports()) this.#suggested.keepReport(stored);
    }
    const { statements, left_out, reports_left_out } = await this.#suggested.result(this.#pause);
    const unused = await this.#used.unused(this.#pause);
    const warning = this.#warning();
    return {
      ...{ since, decisions: this.#decisions, stands_for: this.#represents, sampled: true, not_recorded },
      truncated: this.#isCut || isEveryMemberLeftOut,
      statements: [...statements],
      unused: [...unused],
      ...{ days: this.#days.size, members: this.#members.size, left_out, reports_left_out },
      ...(warning === undefined ? {} : { warning }),
    };
  }

  #warning(): string | undefined {
    if (this.#decisions === 0) return 'no call of these members is recorded: nothing can be said of what they need';
    if (this.#days.size >= fewDays && this.#represents >= fewCalls) return undefined;
    const calls = this.#represents === 1 ? '1 call' : `${this.#represents} calls`;
    const days = this.#days.size === 1 ? '1 day' : `${this.#days.size} days`;
    return `this rests on ${calls} of ${days}: what members do less often is not in it`;
  }
}

type MatchedStatement = Explanation['matched'][number];

interface NeededBy {
  readonly isChosen: (statement: MatchedStatement) => boolean;
  /** Whether there are calls alike of which nothing is kept: another Allow may have been theirs. */
  readonly hasOthers: boolean;
}

/** The Allows of which the call needs one, or as many as are limited to fields or depend on the record. */
function neededOf({ matched, near }: Explanation, { isChosen, hasOthers }: NeededBy): readonly MatchedStatement[] {
  const allows = matched.filter((one) => one.Effect === 'Allow' && isChosen(one));
  const whole = allows.filter(({ Fields }) => Fields === undefined);
  const ofAll = whole.find(({ conditions }) => conditions === undefined) ?? (hasOthers ? undefined : whole[0]);
  if (ofAll !== undefined) return [ofAll];
  const mayAllow = ({ Effect, failed_condition, over_budget }: Explanation['near'][number]): boolean =>
    Effect === 'Allow' &&
    over_budget === undefined &&
    (failed_condition === undefined || (hasOthers && !isOfCaller.test(failed_condition.key)));
  return [...allows, ...near.filter((one) => isChosen(one) && mayAllow(one))];
}

/** The common part of similar calls. */
const isOfCaller = /^(?:user|tenant)\./i;
