import { foldAscii } from '../../lib/fold-ascii.ts';
import { type Effort, spend } from '../effort.ts';
import { shown } from '../mistakes.ts';
import { collapseStars } from '../patterns/glob.ts';
import { isReportOnly, readStatement } from '../statement.ts';
import { variableStart, withoutVariables } from '../template.ts';
import type { Effect } from '../truth.ts';
import { verbs } from '../verbs.ts';
import {
  type CoverScope,
  covers,
  coversScope,
  overlaps,
  type Pattern,
  readPattern,
  scopeOf,
  unlimited,
} from './cover-pattern.ts';

/** A policy as it is stored: its statements may be broken. */
export interface HeldPolicy {
  readonly policyId: string;
  readonly policyName: string;
  readonly statements: unknown;
}

/** The way a write changes the policies that a person holds: these before, those after. */
interface GrantChange {
  readonly before: readonly HeldPolicy[];
  readonly after: readonly HeldPolicy[];
  /** All of `after` is granted by this write, also what stood before. */
  readonly isAnew?: boolean;
}

/** One action pattern and one resource pattern of a statement, by which a write reaches beyond its author. */
interface Excess {
  /**
   * `uncovered`: an Allow that no Allow of the author covers; `denied`: an Allow that a Deny of the author overlaps;
   * `lifted`: a Deny that goes away and is attached to the author.
   */
  readonly kind: 'uncovered' | 'denied' | 'lifted';
  readonly policyName: string;
  /** Counted from 0. */
  readonly position: number;
  readonly Sid?: string;
  readonly action: string;
  readonly resource: string;
}

/** `too_much` if there are too many patterns to compare, so the write cannot be shown to be covered. */
export type Escalation = Excess | { readonly kind: 'too_much' };

/** About 50 ms of comparing. Patterns that people write need a few thousand steps. */
const stepsMax = 2_000_000;

/**
 * Whether a write gives out more than its author holds, or lifts a Deny that holds for the author.
 *
 * Each pair of an action pattern and a resource pattern of a granted Allow must be covered by one Allow of the author,
 * under no condition or the same one and on at least the same fields, by whatever names, and no Deny of the author may overlap it, whatever
 * its condition or fields. Granted are the pairs of `after`, but for those that stood before: covered
 * by one Allow of `before` and not freed by a Deny that goes away in the same write. A Deny goes away when one of its
 * pairs is covered by no Deny of `after`, or only under a condition or on fields. In doubt it is an escalation: a broken Allow covers nothing and is granted
 * as far as it may have meant, a broken Deny of the author overlaps everything.
 */
export function findEscalation(
  change: GrantChange,
  author: readonly HeldPolicy[],
  { renamed = [], steps = stepsMax }: EscalationOptions = {},
): Escalation | undefined {
  const effort: Effort = { stepsLeft: steps };
  const names = renamedOf(renamed, effort);
  const after = readPolicies(change.after);
  const lifted = liftedDenies(readPolicies(change.before), after, { names, effort });
  const found =
    attachedOf(lifted, author) ??
    firstExcess(after, comparisonOf(change, { lifted, author: readPolicies(author) }), { names, effort });
  return effort.stepsLeft < 0 ? { kind: 'too_much' } : found;
}

/**
 * Why the author of a write may not grant what it grants, in a sentence; undefined where he may.
 * @param renamedEntities asked for only where a policy leaves fields out.
 */
export async function whyNotGranted(
  change: GrantChange,
  author: readonly HeldPolicy[],
  renamedEntities: () => Promise<readonly RenamedEntity[]>,
): Promise<string | undefined> {
  const hasExceptions = [author, change.before, change.after].some(haveExceptions);
  const found = findEscalation(change, author, hasExceptions ? { renamed: await renamedEntities() } : {});
  return found === undefined ? undefined : sentenceOf(found);
}

function sentenceOf(escalation: Escalation): string {
  switch (escalation.kind) {
    case 'uncovered':
      return `${startOf(escalation, 'allows')}, which the caller's own policies do not cover`;
    case 'denied':
      return `${startOf(escalation, 'allows')}, of which the caller's own policies deny a part`;
    case 'lifted':
      return `${startOf(escalation, 'denies')} to the caller as well, who may not lift it`;
    case 'too_much':
      return 'the policies concerned have too many patterns to tell whether the caller may grant them';
  }
}

function startOf(excess: Excess, verb: 'allows' | 'denies'): string {
  const { policyName, position, Sid, action, resource } = excess;
  const label = Sid === undefined || Sid === '' ? String(position + 1) : `\`${shown(Sid)}\``;
  return `statement ${label} of policy \`${shown(policyName)}\` ${verb} \`${shown(action)}\` on \`${shown(resource)}\``;
}

interface EscalationOptions {
  readonly renamed?: readonly RenamedEntity[] | undefined;
  readonly steps?: number | undefined;
}

/** An entity with fields that have several names. */
interface RenamedEntity {
  readonly name: string;
  /** Of each such field, all its names. */
  readonly fields: readonly (readonly string[])[];
}

/** Whether policies have exceptions of fields: only there can a field be granted by another of its names. */
function haveExceptions(policies: readonly HeldPolicy[]): boolean {
  return readPolicies(policies).some(({ scope }) => (scope.fields?.excludes.length ?? 0) > 0);
}

/** The names of each field that has several, in the entities that an action pattern may be about. */
type RenamedBy = (action: Pattern) => readonly (readonly string[])[];

function renamedOf(entities: readonly RenamedEntity[], effort: Effort): RenamedBy {
  const known = new Map<string, readonly (readonly string[])[]>();
  const isAbout = (action: Pattern, name: string): boolean =>
    verbs.some((verb) => overlaps(action, readPattern(verb + name), effort));
  return (action) => {
    const found =
      known.get(action.text) ?? entities.filter(({ name }) => isAbout(action, name)).flatMap(({ fields }) => fields);
    known.set(action.text, found);
    return found;
  };
}

/** A member that a broken statement lacks, or that cannot be read, stands for everything, as it does in a decision. */
interface ReadStatement {
  readonly policy: HeldPolicy;
  readonly position: number;
  readonly Sid: string | undefined;
  readonly effect: Effect;
  readonly isBroken: boolean;
  readonly actions: PatternList;
  readonly resources: PatternList;
  readonly scope: CoverScope;
}

/** A Deny that goes away, with the first of its pairs that does. */
interface LiftedDeny {
  readonly statement: ReadStatement;
  readonly action: Pattern;
  readonly resource: Pattern;
}

/** The statements that the pairs of a granted Allow are compared with. */
interface CoverComparison {
  readonly current: readonly ReadStatement[];
  readonly lifted: readonly ReadStatement[];
  readonly allows: readonly ReadStatement[];
  readonly denies: readonly ReadStatement[];
}

function comparisonOf(
  change: GrantChange,
  { lifted, author }: { readonly lifted: readonly LiftedDeny[]; readonly author: readonly ReadStatement[] },
): CoverComparison {
  return {
    current: change.isAnew === true ? [] : allowsOf(readPolicies(change.before)),
    lifted: lifted.map(({ statement }) => statement),
    allows: allowsOf(author),
    denies: author.filter(({ effect }) => effect === 'Deny'),
  };
}

/** The statements that can be relied on to allow: a broken Allow cannot. */
function allowsOf(statements: readonly ReadStatement[]): readonly ReadStatement[] {
  return statements.filter(({ effect, isBroken }) => effect === 'Allow' && !isBroken);
}

function liftedDenies(
  before: readonly ReadStatement[],
  after: readonly ReadStatement[],
  means: Means,
): readonly LiftedDeny[] {
  const denies = after.filter(({ effect }) => effect === 'Deny');
  const lifted: LiftedDeny[] = [];
  for (const statement of before) {
    if (statement.effect !== 'Deny') continue;
    const pair = pairsOf(statement).find(
      ([action, resource]) => !coverPair(denies, { ...means, action, resource, statement }),
    );
    if (pair !== undefined) lifted.push({ statement, action: pair[0], resource: pair[1] });
  }
  return lifted;
}

function attachedOf(lifted: readonly LiftedDeny[], author: readonly HeldPolicy[]): Excess | undefined {
  const attached = new Set(author.map(({ policyId }) => policyId));
  const found = lifted.find(({ statement }) => attached.has(statement.policy.policyId));
  return found === undefined ? undefined : excess('lifted', found.statement, found);
}

function firstExcess(after: readonly ReadStatement[], comparison: CoverComparison, means: Means): Excess | undefined {
  for (const statement of after) {
    if (statement.effect !== 'Allow') continue;
    for (const [action, resource] of pairsOf(statement)) {
      const pair = { ...means, action, resource, statement };
      if (coverPair(comparison.current, pair) && !overlapPair(comparison.lifted, pair)) continue;
      if (!coverPair(comparison.allows, pair)) return excess('uncovered', statement, pair);
      if (overlapPair(comparison.denies, pair)) return excess('denied', statement, pair);
    }
  }
  return undefined;
}

function excess(
  kind: Excess['kind'],
  { policy, position, Sid }: ReadStatement,
  pair: { readonly action: Pattern; readonly resource: Pattern },
): Excess {
  return {
    kind,
    policyName: policy.policyName,
    position,
    ...(Sid === undefined ? {} : { Sid }),
    action: pair.action.text,
    resource: pair.resource.text,
  };
}

interface Means {
  readonly names: RenamedBy;
  readonly effort: Effort;
}

interface Pair extends Means {
  readonly action: Pattern;
  readonly resource: Pattern;
  readonly statement: ReadStatement;
}

function* pairsOf({ actions, resources }: ReadStatement): Generator<readonly [Pattern, Pattern]> {
  for (const action of actions.patterns) for (const resource of resources.patterns) yield [action, resource];
}

/** One statement has to cover the pair alone: two that cover it together are not looked for. */
function coverPair(
  statements: readonly ReadStatement[],
  { action, resource, statement, names, effort }: Pair,
): boolean {
  const { effect, scope } = statement;
  return statements.some(
    (wide) =>
      wide.actions.covers(action, effort) &&
      wide.resources.covers(resource, effort) &&
      coversScope(wide.scope, scope, { effect, renamed: () => names(action), effort }),
  );
}

/** The intended reach of a broken Deny is not known, so it overlaps everything. */
function overlapPair(denies: readonly ReadStatement[], { action, resource, effort }: Pair): boolean {
  return denies.some(
    ({ isBroken, actions, resources }) =>
      isBroken || (actions.overlaps(action, effort) && resources.overlaps(resource, effort)),
  );
}

/** The same policy may be held in several ways; it says the same each time. */
function readPolicies(policies: readonly HeldPolicy[]): readonly ReadStatement[] {
  const distinct = new Map(policies.map((policy) => [policy.policyId, policy]));
  return [...distinct.values()].flatMap((policy) => {
    const { statements } = policy;
    // A value that is no list at all is read as one broken statement: it denies everything.
    const elements: readonly unknown[] = Array.isArray(statements) ? statements : [undefined];
    return elements.flatMap((element, position) =>
      // A statement that is never enforced neither gives nor takes anything.
      isReportOnly(element) ? [] : [readElement(policy, position, element)],
    );
  });
}

function readElement(policy: HeldPolicy, position: number, element: unknown): ReadStatement {
  const reading = readStatement(element);
  const effect = reading.Effect ?? 'Deny';
  const isBroken = reading.errors.length > 0;
  return {
    policy,
    position,
    Sid: reading.Sid,
    effect,
    isBroken,
    actions: new PatternList((reading.Action ?? everything).map(foldAscii)),
    resources: new PatternList(reading.Resource ?? everything),
    scope: isBroken ? unlimited : scopeOf(reading.Condition, reading.Fields),
  };
}

const everything: readonly string[] = ['*'];

/**
 * The patterns of a member of a statement. One with variables may reach as far as with a `*` in their places, and covers
 * none but itself. Remembers what it was asked, since pairs ask for the same again and again.
 */
class PatternList {
  readonly patterns: readonly Pattern[];
  readonly #texts: ReadonlySet<string>;
  readonly #covering: readonly Pattern[];
  readonly #covered = new Map<string, boolean>();
  readonly #overlapped = new Map<string, boolean>();

  constructor(texts: readonly string[]) {
    this.#texts = new Set(texts);
    this.patterns = [...this.#texts].map(readWidest);
    this.#covering = this.patterns.filter(({ text }) => !text.includes(variableStart));
  }

  /** Whether one of the patterns covers this one. */
  covers(narrow: Pattern, effort: Effort): boolean {
    if (!spend(effort, 1)) return false;
    if (this.#texts.has('*') || this.#texts.has(narrow.text)) return true;
    return remember(this.#covered, narrow.text, () => this.#covering.some((wide) => covers(wide, narrow, effort)));
  }

  /** Whether one of the patterns overlaps this one. */
  overlaps(other: Pattern, effort: Effort): boolean {
    if (!spend(effort, 1)) return true;
    if (this.#texts.has('*') || this.#texts.has(other.text)) return true;
    return remember(this.#overlapped, other.text, () => this.patterns.some((one) => overlaps(one, other, effort)));
  }
}

function readWidest(text: string): Pattern {
  return { ...readPattern(collapseStars(withoutVariables(text))), text };
}

function remember(known: Map<string, boolean>, text: string, ask: () => boolean): boolean {
  const answer = known.get(text) ?? ask();
  known.set(text, answer);
  return answer;
}
