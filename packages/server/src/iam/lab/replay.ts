import type { policyLabApi } from '@freehold/contract/management/access/policy-lab';
import type { ReplyOf } from '@freehold/contract/route';
import {
  type AttachedPolicy,
  actionMatcher,
  type CompiledAccess,
  decisionSteps,
  type Effort,
  type Explanation,
  enforcedOf,
  readStatement,
  type Statement,
} from '../../access/port.ts';
import { Problem } from '../../lib/problem.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import { type Environment, findWorkspace, type Workspace } from '../../tenancy/port.ts';
import { decisiveStatement, describeDecision, draftPolicy } from '../decisions/describe-decision.ts';
import { memberOf } from '../members/member.ts';
import { readPolicies } from '../policies/held-policies.ts';
import { decideAgain, explainAgain } from '../recording/decide-again.ts';
import {
  type LabDeps,
  LabPeople,
  type LabPerson,
  type Recorded,
  readRecorded,
  type WeightedCall,
  weightedCalls,
} from './read-recorded.ts';

export interface ReplayRequest {
  readonly env: Environment;
  readonly tenantCode: string;
  readonly draft: {
    readonly policyId: string | undefined;
    readonly name: string | undefined;
    readonly statements: readonly Statement[];
  };
  /** The people who would hold a new policy. */
  readonly principals: readonly string[] | undefined;
  /** Milliseconds since 1970. */
  readonly since: number | undefined;
  readonly limit: number | undefined;
}

type Replayed = ReplyOf<typeof policyLabApi.replayAccess>;
type ReplayedGroup = Replayed['newly_denied']['items'][number];

export const replayedMax = 10_000;
/** Some seconds of deciding at the very most, in short slices. */
export const stepsMax = 50 * decisionSteps;
export const peopleMax = 1000;
const groupsShown = 50;

/** Decides the recorded calls of those who hold the draft, by what they hold now and by the draft in its place. */
export async function replay(deps: LabDeps, orgCode: string, request: ReplayRequest): Promise<Replayed> {
  const { env, tenantCode, since, limit = replayedMax } = request;
  const workspace = await findWorkspace(deps.stores, { env, orgCode, tenantCode });
  await assertKnown(workspace, request);
  const recorded = await readRecorded(deps, workspace, { since, limit: replayedMax });
  return new Replaying(workspace, request).run(recorded, limit);
}

/** @throws Problem `not_found`. */
async function assertKnown(workspace: Workspace, { draft, principals = [] }: ReplayRequest): Promise<void> {
  if (draft.policyId !== undefined && (await readPolicies(workspace, [draft.policyId])).length === 0)
    throw new Problem('not_found', `there is no policy \`${draft.policyId}\` in \`${workspace.tenantCode}\``);
  for (const userId of principals) await memberOf(workspace, userId);
}

interface Compared {
  readonly weighted: WeightedCall;
  readonly person: LabPerson;
  readonly present: Explanation['decision'];
  readonly drafted: Explanation['decision'];
}

/** Like calls that the draft decides otherwise. */
interface ReplayGroup {
  readonly last: Compared;
  readonly calls: number;
}

class Changes {
  readonly #groups = new Map<string, ReplayGroup>();
  count = 0;
  represents = 0;

  add(compared: Compared): void {
    const { weighted, person, drafted } = compared;
    this.count += 1;
    this.represents += weighted.calls;
    const key = JSON.stringify([person.userId, weighted.decision.action, drafted]);
    const known = this.#groups.get(key);
    const isLast = known === undefined || known.last.weighted.decision.last_at < weighted.decision.last_at;
    const calls = weighted.calls + (known?.calls ?? 0);
    this.#groups.set(key, { last: isLast ? compared : known.last, calls });
  }

  largest(): readonly ReplayGroup[] {
    return [...this.#groups.values()].sort((left, right) => right.calls - left.calls).slice(0, groupsShown);
  }
}

const reasons = {
  gone: 'the user is no member any more',
  list: 'the draft decides by each record, and the records of lists are not recorded',
  values: 'the draft asks for values of the call that were not recorded',
} as const;

class Replaying {
  readonly #request: ReplayRequest;
  readonly #people: LabPeople;
  readonly #effort: Effort = { stepsLeft: stepsMax };
  readonly #pause: () => Promise<void> | undefined;
  readonly #about = new Map<string, boolean>();
  readonly #undecidable = new Map<string, number>();
  readonly #denied = new Changes();
  readonly #allowed = new Changes();
  readonly #unchanged = { count: 0, stands_for: 0 };
  #undecided = 0;
  #changedSince = 0;
  #decisions = 0;
  #represents = 0;

  constructor(workspace: Workspace, request: ReplayRequest) {
    this.#request = request;
    this.#people = new LabPeople(workspace);
    this.#pause = createYielder({ org: workspace.orgCode, workspace: 'builders' }, () => -this.#effort.stepsLeft);
  }

  async run({ decisions, since, not_recorded, truncated }: Recorded, limit: number): Promise<Replayed> {
    let isCut = truncated;
    for (const decision of decisions) {
      const { user_id } = decision;
      if (!this.#mayHold(user_id)) continue;
      const samples = decision.samples.length;
      const isFull = this.#decisions + samples > limit || this.#effort.stepsLeft < 0;
      if (isFull || (!this.#people.has(user_id) && this.#people.size >= peopleMax)) {
        isCut = true;
        break;
      }
      const person = await this.#people.person(user_id);
      if (person !== undefined && !this.#isHolder(person)) continue;
      for (const weighted of weightedCalls(decision)) {
        await this.#pause();
        this.#decisions += 1;
        this.#represents += weighted.calls;
        if (person === undefined) this.#noteUndecidable(reasons.gone, weighted.calls);
        else this.#compare(person, weighted);
      }
    }
    return {
      ...{ since, decisions: this.#decisions, stands_for: this.#represents, sampled: true },
      ...{ not_recorded, truncated: isCut },
      unchanged: this.#unchanged,
      newly_denied: await this.#shown(this.#denied),
      newly_allowed: await this.#shown(this.#allowed),
      undecidable: {
        count: [...this.#undecidable.values()].reduce((sum, count) => sum + count, 0),
        stands_for: this.#undecided,
        reasons: [...this.#undecidable].map(([reason, count]) => ({ reason, count })),
      },
      changed_since: this.#changedSince,
    };
  }

  #mayHold(userId: string): boolean {
    const { principals } = this.#request;
    return principals === undefined || principals.includes(userId);
  }

  #isHolder({ held }: LabPerson): boolean {
    const { policyId } = this.#request.draft;
    return policyId === undefined || held.some((one) => one.policyId === policyId);
  }

  #compare(person: LabPerson, weighted: WeightedCall): void {
    const { decision, call, calls } = weighted;
    const request = { caller: person.caller, action: decision.action, call };
    const isDecidedBefore = decideAgain(this.#people.access(person.held), request, this.#effort);
    const present = isDecidedBefore === 'undecided' ? decision.outcome : isDecidedBefore;
    if (isAllowed(present) !== isAllowed(decision.outcome)) this.#changedSince += 1;
    const { action } = decision;
    const isOfMany = /^(?:list|count)/.test(action);
    const drafted = this.#concerns(person, action)
      ? decideAgain(this.#draftAccess(person), request, this.#effort)
      : present;
    if (drafted === 'undecided') this.#noteUndecidable(isOfMany ? reasons.list : reasons.values, calls);
    else if (isAllowed(drafted) !== isAllowed(present))
      (isAllowed(drafted) ? this.#allowed : this.#denied).add({ weighted, person, present, drafted });
    // A list hides the records that getting them by id is denied for.
    else if (isAllowed(drafted) && isOfMany && this.#concerns(person, action.replace(/^(?:list|count)/, 'get'), 'Deny'))
      this.#noteUndecidable(reasons.list, calls);
    else this.#noteUnchanged(calls);
  }

  /** Whether the draft says anything else about an action than what it takes the place of. */
  #concerns({ held }: LabPerson, action: string, Effect?: 'Deny'): boolean {
    const about = `${action} ${Effect}`;
    const known = this.#about.get(about);
    if (known !== undefined) return known;
    const { policyId, statements } = this.#request.draft;
    const before = held.find((one) => one.policyId === policyId)?.statements ?? [];
    const [old, drafted] = [before, statements].map((all) => aboutAction(all, { action, Effect }, this.#effort));
    // A draft that the effort does not suffice to compare may be another.
    const isOther = old !== drafted || this.#effort.stepsLeft < 0;
    this.#about.set(about, isOther);
    return isOther;
  }

  #draftAccess({ held }: LabPerson): CompiledAccess {
    const { policyId, name, statements } = this.#request.draft;
    const named = name === undefined ? {} : { policyName: name };
    const drafted: readonly AttachedPolicy[] =
      policyId === undefined
        ? [...held, { ...draftPolicy, ...named, statements }]
        : held.map((one) => (one.policyId === policyId ? { ...one, ...named, statements } : one));
    return this.#people.access(drafted, 'draft ');
  }

  #noteUnchanged(calls: number): void {
    this.#unchanged.count += 1;
    this.#unchanged.stands_for += calls;
  }

  #noteUndecidable(reason: string, calls: number): void {
    this.#undecidable.set(reason, 1 + (this.#undecidable.get(reason) ?? 0));
    this.#undecided += calls;
  }

  async #shown(changes: Changes): Promise<Replayed['newly_denied']> {
    const items: ReplayedGroup[] = [];
    for (const group of changes.largest()) {
      await this.#pause();
      items.push(this.#shownGroup(group));
    }
    return { count: changes.count, stands_for: changes.represents, items };
  }

  #shownGroup({ last: { weighted, person, present, drafted }, calls }: ReplayGroup): ReplayedGroup {
    const { decision, call } = weighted;
    const { action, outcome, policy_id, Sid, last_at } = decision;
    const request = { caller: person.caller, action, call };
    const described = describeDecision(explainAgain(this.#draftAccess(person), request, this.#effort));
    const statement = decisiveStatement(described);
    return {
      ...{ user_id: person.userId, email: person.email, action, resource: call.resource, calls },
      ...{ decision: drafted, reason: described.reason },
      ...(statement === undefined ? {} : { statement }),
      recorded: {
        decision: outcome,
        ...(policy_id === undefined ? {} : { policy_id }),
        ...(Sid === undefined ? {} : { Sid }),
        last_at,
      },
      ...(isAllowed(present) === isAllowed(outcome) ? {} : { changed_since: true }),
    };
  }
}

function isAllowed(decision: Explanation['decision']): boolean {
  return decision === 'allowed';
}

interface ActionRequest {
  readonly action: string;
  /** Left out, both. */
  readonly Effect: 'Deny' | undefined;
}

/** The statements about an action that are enforced, as one text. */
function aboutAction(statements: unknown, { action, Effect: wanted }: ActionRequest, effort: Effort): string {
  const enforced = enforcedOf(statements);
  if (!Array.isArray(enforced)) return JSON.stringify(enforced);
  const all: readonly unknown[] = enforced;
  const isAbout = (one: unknown): boolean => {
    const { Action, Effect } = readStatement(one);
    if (wanted !== undefined && Effect !== undefined && Effect !== wanted) return false;
    return Action === undefined || Action.some((pattern) => actionMatcher(pattern)(action, effort));
  };
  return JSON.stringify(all.filter(isAbout).map((one) => readStatement(one)));
}
