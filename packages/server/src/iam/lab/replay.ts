import type { policyLabApi } from '@freehold/contract/management/access/policy-lab';
import type { ReplyOf } from '@freehold/contract/route';
import {
  type AttachedPolicy,
  type CompiledAccess,
  compileGlob,
  decisionSteps,
  type Effort,
  type Explanation,
  enforcedOf,
  foldAscii,
  matchesGlob,
  readStatement,
  type Statement,
} from '../../access/port.ts';
import { Problem } from '../../lib/problem.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import type { Environment, Workspace } from '../../tenancy/port.ts';
import { decisiveStatement, describeDecision, draftPolicy } from '../decisions/describe-decision.ts';
import { findWorkspace } from '../founding/find-workspace.ts';
import { memberOf } from '../members/member-of.ts';
import { readPolicies } from '../policies/held-policies.ts';
import { decideAgain, explainAgain } from '../recording/decide-again.ts';
import type { LabDeps } from './lab-deps.ts';
import { LabPeople, type LabPerson } from './lab-people.ts';
import { type Recorded, readRecorded, type WeightedCall, weightedCalls } from './read-recorded.ts';

export interface AskedReplay {
  readonly env: Environment;
  readonly tenantCode: string;
  readonly draft: {
    readonly policyId: string | undefined;
    readonly name: string | undefined;
    readonly statements: readonly Statement[];
  };
  /** Who would hold a new policy. */
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
export async function replay(deps: LabDeps, orgCode: string, asked: AskedReplay): Promise<Replayed> {
  const { env, tenantCode, since, limit = replayedMax } = asked;
  const workspace = await findWorkspace(deps.stores, { env, orgCode, tenantCode });
  await assertKnown(workspace, asked);
  const recorded = await readRecorded(deps, workspace, { since, limit: replayedMax });
  return new Replaying(workspace, asked).run(recorded, limit);
}

/** @throws Problem `not_found`. */
async function assertKnown(workspace: Workspace, { draft, principals = [] }: AskedReplay): Promise<void> {
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
interface Group {
  readonly last: Compared;
  readonly calls: number;
}

class Changes {
  readonly #groups = new Map<string, Group>();
  count = 0;
  standsFor = 0;

  add(compared: Compared): void {
    const { weighted, person, drafted } = compared;
    this.count += 1;
    this.standsFor += weighted.calls;
    const key = JSON.stringify([person.userId, weighted.decision.action, drafted]);
    const known = this.#groups.get(key);
    const isLast = known === undefined || known.last.weighted.decision.last_at < weighted.decision.last_at;
    const calls = weighted.calls + (known?.calls ?? 0);
    this.#groups.set(key, { last: isLast ? compared : known.last, calls });
  }

  largest(): readonly Group[] {
    return [...this.#groups.values()].sort((left, right) => right.calls - left.calls).slice(0, groupsShown);
  }
}

const reasons = {
  gone: 'the user is no member any more',
  list: 'the draft decides by each record, and the records of lists are not recorded',
  values: 'the draft asks for values of the call that were not recorded',
} as const;

class Replaying {
  readonly #asked: AskedReplay;
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
  #standsFor = 0;

  constructor(workspace: Workspace, asked: AskedReplay) {
    this.#asked = asked;
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
        this.#standsFor += weighted.calls;
        if (person === undefined) this.#noteUndecidable(reasons.gone, weighted.calls);
        else this.#compare(person, weighted);
      }
    }
    return {
      ...{ since, decisions: this.#decisions, stands_for: this.#standsFor, sampled: true },
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
    const { principals } = this.#asked;
    return principals === undefined || principals.includes(userId);
  }

  #isHolder({ held }: LabPerson): boolean {
    const { policyId } = this.#asked.draft;
    return policyId === undefined || held.some((one) => one.policyId === policyId);
  }

  #compare(person: LabPerson, weighted: WeightedCall): void {
    const { decision, call, calls } = weighted;
    const asked = { caller: person.caller, action: decision.action, call };
    const isDecidedBefore = decideAgain(this.#people.access(person.held), asked, this.#effort);
    const present = isDecidedBefore === 'undecided' ? decision.outcome : isDecidedBefore;
    if (isAllowed(present) !== isAllowed(decision.outcome)) this.#changedSince += 1;
    const { action } = decision;
    const isOfMany = /^(?:list|count)/.test(action);
    const drafted = this.#concerns(person, action)
      ? decideAgain(this.#draftAccess(person), asked, this.#effort)
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
    const { policyId, statements } = this.#asked.draft;
    const before = held.find((one) => one.policyId === policyId)?.statements ?? [];
    const [old, drafted] = [before, statements].map((all) => aboutAction(all, { action, Effect }, this.#effort));
    // What could not be looked at to its end may be another.
    const isOther = old !== drafted || this.#effort.stepsLeft < 0;
    this.#about.set(about, isOther);
    return isOther;
  }

  #draftAccess({ held }: LabPerson): CompiledAccess {
    const { policyId, name, statements } = this.#asked.draft;
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
    return { count: changes.count, stands_for: changes.standsFor, items };
  }

  #shownGroup({ last: { weighted, person, present, drafted }, calls }: Group): ReplayedGroup {
    const { decision, call } = weighted;
    const { action, outcome, policy_id, Sid, last_at } = decision;
    const asked = { caller: person.caller, action, call };
    const described = describeDecision(explainAgain(this.#draftAccess(person), asked, this.#effort));
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

interface AskedAction {
  readonly action: string;
  /** Left out, both. */
  readonly Effect: 'Deny' | undefined;
}

/** The statements about an action that are enforced, as one text. */
function aboutAction(statements: unknown, { action, Effect: wanted }: AskedAction, effort: Effort): string {
  const enforced = enforcedOf(statements);
  if (!Array.isArray(enforced)) return JSON.stringify(enforced);
  const all: readonly unknown[] = enforced;
  const isAbout = (one: unknown): boolean => {
    const { Action, Effect } = readStatement(one);
    if (wanted !== undefined && Effect !== undefined && Effect !== wanted) return false;
    return (
      Action === undefined || Action.some((pattern) => matchesGlob(compileGlob(foldAscii(pattern)), action, effort))
    );
  };
  return JSON.stringify(all.filter(isAbout).map((one) => readStatement(one)));
}
