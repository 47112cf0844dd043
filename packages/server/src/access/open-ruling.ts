import { type MemberFinder, unknownBounds, type WhereBounds } from '../lib/where-bounds.ts';
import { type CompiledStatement, matchOf, type OpenStatement, reachOf } from './compiled-statement.ts';
import type { AccessContext, Pending, RequestContext } from './context/context.ts';
import { type ContextKey, isPending } from './context/context-key.ts';
import { type Effort, isSpent } from './effort.ts';
import { type FieldGrant, type FieldPatterns, type FieldSet, fieldSetOf } from './field-set.ts';
import { keysOf, type PathRequest } from './patterns/resource-glob.ts';
import {
  decidedRuling,
  type Evaluation,
  type FieldEquality,
  plainEvaluations,
  plainRulings,
  type RecordStates,
  type Ruling,
} from './ruling.ts';
import { rulingBounds } from './ruling-bounds.ts';
import { type Candidates, membersFor, type TextGroup } from './selection/selection.ts';
import { everyOf, type Truth } from './truth.ts';

/** The statements that may concern the request. */
interface Weighed {
  readonly denies: Candidates;
  readonly allows: Candidates | 'everything';
}

/** Those of one effect, by what they say of a request. */
interface Sorted {
  readonly inEffect: readonly Pick<CompiledStatement, 'fields'>[];
  readonly open: readonly OpenStatement[];
  /** Groups of which every member is open. */
  readonly openGroups: readonly TextGroup[];
}

/** A request that is denied for sure is not checked for an Allow. */
export function weigh({ denies, allows }: Weighed, request: PathRequest): Ruling {
  const denied = sort(denies, request);
  if (denied.inEffect.some(isAboutAllFields)) return plainRulings.explicit_deny;
  return rulingOf(denied, allows === 'everything' ? everything : sort(allows, request), request);
}

const everything: Sorted = { inEffect: [{ fields: undefined }], open: [], openGroups: [] };

function rulingOf(denied: Sorted, allowed: Sorted, request: PathRequest): Ruling {
  const taken = denied.inEffect.map(({ fields }) => fields).filter((fields) => fields !== undefined);
  const granted = allowed.inEffect.map(({ fields }) => fields);
  if (granted.length === 0 && !isOpen(allowed)) return plainRulings.implicit_deny;
  const openAllows = granted.includes(undefined) ? nothing : allowed;
  if (isOpen(denied) || isOpen(openAllows))
    return new OpenRuling({ request, granted, taken, openAllows, openDenies: denied });
  const fields = fieldSetOf({ granted, by: 'any', taken }, () => request.context().naming);
  return fields === undefined ? plainRulings.allowed : decidedRuling({ outcome: 'allowed', fields });
}

const nothing: Sorted = { inEffect: [], open: [], openGroups: [] };

function isOpen({ open, openGroups }: Sorted): boolean {
  return open.length > 0 || openGroups.length > 0;
}

/** Statements of one effect. Once one takes effect on all fields, the others change nothing. */
function sort({ first, groups, others }: Candidates, request: PathRequest): Sorted {
  const inEffect: CompiledStatement[] = [];
  const open: OpenStatement[] = [];
  const sorted = { inEffect, open, openGroups: noGroups };
  for (const statement of first) if (decides(statement, sorted, request)) return sorted;
  if (groups.length === 0) return sorted;
  const openGroups: TextGroup[] = [];
  const withGroups = { inEffect, open, openGroups };
  for (const group of groups) {
    const context = request.context();
    if (isPending(group.key, context)) openGroups.push(group);
    else
      for (const { statement } of membersFor(group, context, request.effort))
        if (decides(statement, withGroups, request)) return withGroups;
  }
  for (const statement of others) if (decides(statement, withGroups, request)) break;
  return withGroups;
}

const noGroups: readonly TextGroup[] = [];

interface Sorting {
  readonly inEffect: CompiledStatement[];
  readonly open: OpenStatement[];
}

/** Adds the statement, and says whether it decides alone. */
function decides(statement: CompiledStatement, { inEffect, open }: Sorting, request: PathRequest): boolean {
  const matchState = matchOf(statement, request);
  if (matchState === true) inEffect.push(statement);
  else if (matchState !== false) open.push(matchState);
  return matchState === true && isAboutAllFields(statement);
}

function isAboutAllFields({ fields }: Pick<CompiledStatement, 'fields'>): boolean {
  return fields === undefined;
}

/** The verdict of the statements on a request that depends on what is not known yet. */
interface OpenTally {
  readonly request: PathRequest;
  /** The fields that Allows grant which take effect for sure; `undefined` for all. */
  readonly granted: readonly (FieldPatterns | undefined)[];
  /** The fields that Denies take which take effect for sure. */
  readonly taken: readonly FieldPatterns[];
  readonly openAllows: OpenStatements;
  readonly openDenies: OpenStatements;
}

interface OpenStatements {
  readonly open: readonly OpenStatement[];
  readonly openGroups: readonly TextGroup[];
}

/** Combinations beyond these are put together again each time. */
const evaluationsMax = 64;

/** Evaluates by what is still open alone: a list judges many records. */
class OpenRuling implements Ruling {
  readonly outcome = 'undecided';
  readonly fields = undefined;
  readonly #tally: OpenTally;
  readonly #context: AccessContext;
  /** The context of every record, but for the record. */
  readonly #recordContext: AccessContext;
  /** The steps that are left for each record after the request was looked at. */
  readonly #stepsLeft: number;
  #steps = 0;
  /** Allowed ones, by which of the open statements took effect: their sets of fields remember what they were asked. */
  readonly #allowed = new Map<string, Evaluation>();

  constructor(tally: OpenTally) {
    this.#tally = tally;
    this.#context = tally.request.context();
    this.#recordContext = without('record', this.#context);
    this.#stepsLeft = tally.request.effort.stepsLeft;
  }

  get steps(): number {
    return this.#steps;
  }

  get needs(): readonly Pending[] {
    const { openAllows, openDenies } = this.#tally;
    const needs = new Set([...allOf(openAllows), ...allOf(openDenies)].flatMap(needsOf));
    return (this.#context.pending ?? []).filter((pending) => needs.has(pending));
  }

  get sureFields(): FieldSet | undefined {
    const { granted, taken, openAllows, openDenies } = this.#tally;
    const mayBeTaken = allOf(openDenies)
      .map(({ statement }) => statement.fields)
      .filter((fields) => fields !== undefined);
    return this.#fieldSetOf({
      ...(granted.length > 0 ? { granted, by: 'any' } : { granted: allOf(openAllows).map(fieldsOf), by: 'all' }),
      taken: [...taken, ...mayBeTaken],
    });
  }

  get possibleFields(): FieldSet | undefined {
    const { granted, taken, openAllows } = this.#tally;
    return this.#fieldSetOf({ granted: [...granted, ...allOf(openAllows).map(fieldsOf)], by: 'any', taken });
  }

  #fieldSetOf(grant: FieldGrant): FieldSet | undefined {
    return fieldSetOf(grant, () => this.#context.naming);
  }

  get equalities(): readonly FieldEquality[] {
    const { granted, openAllows } = this.#tally;
    if (granted.length > 0) return [];
    const all = allOf(openAllows);
    const [any] = all;
    if (any === undefined) return [];
    const first = all.reduce((one, other) => (other.statement.place < one.statement.place ? other : one), any);
    let common = this.#equalitiesOf(first);
    for (const open of all) {
      if (common.length === 0) break;
      const others = this.#equalitiesOf(open);
      common = common.filter((one) => others.some((other) => isSame(one, other)));
    }
    return common;
  }

  #equalitiesOf({ tests }: OpenStatement): readonly FieldEquality[] {
    return tests
      .map((test) => test.equality(this.#context, this.#tally.request.effort))
      .filter((equality) => equality !== undefined);
  }

  get recordFields(): readonly string[] | undefined {
    if (this.#context.naming !== undefined) return undefined;
    const { openAllows, openDenies } = this.#tally;
    const fields = new Set<string>();
    for (const key of [...allOf(openAllows), ...allOf(openDenies)].flatMap(openKeysOf)) {
      if (!key.needs.includes('record')) continue;
      if (key.recordField === undefined) return undefined;
      fields.add(key.recordField);
    }
    return [...fields];
  }

  bounds(find: MemberFinder): WhereBounds {
    const { granted, openAllows, openDenies } = this.#tally;
    const { pending = [] } = this.#context;
    if (pending.some((one) => one !== 'record' && one !== 'id')) return unknownBounds;
    return rulingBounds({
      denies: allOf(openDenies),
      allows: granted.length > 0 ? 'everything' : allOf(openAllows),
      others: granted.length > 0 ? allOf(openAllows) : [],
      boundsOf: (test) => test.bounds(find, this.#context),
      stepsLeft: this.#stepsLeft,
    });
  }

  evaluate(record: Readonly<Record<string, unknown>>, id?: string, states: RecordStates = {}): Evaluation {
    const request = this.#requestAbout(record, id, states);
    const evaluation = this.#evaluate(request);
    this.#steps += this.#stepsLeft - request.effort.stepsLeft;
    return evaluation;
  }

  /** While nothing but the state after the write is open, what depends on it does not count against the caller yet. */
  #evaluate(request: PathRequest): Evaluation {
    const { granted, openAllows, openDenies } = this.#tally;
    const denied = takingEffect(openDenies, request, true);
    if (denied.isWhole) return plainEvaluations.explicit_deny;
    const allowed = takingEffect(openAllows, request, false);
    const perhaps = allowed.isWhole ? [] : allowed.perhaps;
    const grantedNow = perhaps.length === 0 ? allowed.now : [...allowed.now, ...perhaps];
    if (granted.length + grantedNow.length === 0) return plainEvaluations.implicit_deny;
    const evaluation = this.#allowedWith(grantedNow, denied.now);
    return denied.perhaps.length + perhaps.length > 0 ? { ...evaluation, isProvisional: true } : evaluation;
  }

  /** With the open statements that took effect. */
  #allowedWith(grantedNow: readonly CompiledStatement[], takenNow: readonly CompiledStatement[]): Evaluation {
    const { granted, taken } = this.#tally;
    let effects = '';
    for (const { place } of takenNow) effects += `${place} `;
    for (const { place } of grantedNow) effects += `${place} `;
    const known = this.#allowed.get(effects);
    if (known !== undefined) return known;
    const fields = this.#fieldSetOf({
      granted: [...granted, ...grantedNow.map((statement) => statement.fields)],
      by: 'any',
      taken: [...taken, ...takenNow.map((statement) => statement.fields).filter((one) => one !== undefined)],
    });
    const evaluation: Evaluation = fields === undefined ? plainEvaluations.allowed : { outcome: 'allowed', fields };
    if (this.#allowed.size >= evaluationsMax) this.#allowed.clear();
    this.#allowed.set(effects, evaluation);
    return evaluation;
  }

  #requestAbout(
    record: Readonly<Record<string, unknown>>,
    id: string | undefined,
    { after, ...before }: RecordStates,
  ): PathRequest {
    const { path } = this.#tally.request;
    const states = { ...before, ...(after === undefined ? {} : withAfter(after, this.#recordContext)) };
    const known: AccessContext = { ...this.#recordContext, record, ...states };
    const effort: Effort = { stepsLeft: this.#stepsLeft };
    if (id === undefined) return { path, context: () => known, effort };
    const fullPath = typeof path === 'string' ? path : path.before + id;
    const sent: RequestContext = {
      ...known.request,
      pathParameters: { ...known.request.pathParameters, id },
      ...(typeof path === 'string' ? {} : { path: fullPath }),
    };
    const whole: AccessContext = { ...without('id', known), request: sent };
    return { path: fullPath, context: () => whole, effort };
  }
}

function withAfter(
  after: NonNullable<RecordStates['after']>,
  { pending = [] }: AccessContext,
): Pick<AccessContext, 'after' | 'pending'> {
  return after === 'open' ? { pending: [...pending, 'after'] } : { after };
}

function without(known: Pending, context: AccessContext): AccessContext {
  return { ...context, pending: (context.pending ?? []).filter((one) => one !== known) };
}

/** Statements of one effect, once the record is known. */
interface TakingEffect {
  readonly now: readonly CompiledStatement[];
  /** Those on which the state after the write alone decides, which is open. */
  readonly perhaps: readonly CompiledStatement[];
  /** Whether one takes effect on all fields, to which the others add nothing. */
  readonly isWhole: boolean;
}

/** @param inDoubt whether a statement takes effect of which that is not known. */
function takingEffect(statements: OpenStatements, request: PathRequest, inDoubt: boolean): TakingEffect {
  const now: CompiledStatement[] = [];
  const perhaps: CompiledStatement[] = [];
  const { pending = [] } = request.context();
  const isAfterOpen = pending.length === 1 && pending[0] === 'after';
  for (const open of relevant(statements, request)) {
    const { statement } = open;
    const effect = effectOf(open, request);
    const isUnknown = effect === 'unknown' || isSpent(request.effort);
    if (isUnknown && isAfterOpen && !isSpent(request.effort)) perhaps.push(statement);
    else if (isUnknown ? inDoubt : effect) {
      now.push(statement);
      if (statement.fields === undefined) return { now, perhaps, isWhole: true };
    }
  }
  return { now, perhaps, isWhole: false };
}

/** Means nothing once the effort is spent. */
function effectOf({ statement, isReached, tests }: OpenStatement, request: PathRequest): Truth {
  if (isSpent(request.effort)) return 'unknown';
  const reach = isReached || reachOf(statement, request);
  if (reach === false) return false;
  const holds = everyOf(tests, (test) => test.test(request.context(), request.effort));
  return reach === true || holds === false ? holds : reach;
}

function allOf({ open, openGroups }: OpenStatements): readonly OpenStatement[] {
  return openGroups.length === 0 ? open : [...openGroups.flatMap(({ members }) => members), ...open];
}

/** Those that the record does not rule out at once. */
function relevant({ open, openGroups }: OpenStatements, { context, effort }: PathRequest): readonly OpenStatement[] {
  if (openGroups.length === 0) return open;
  return [...openGroups.flatMap((group) => membersFor(group, context(), effort)), ...open];
}

function fieldsOf({ statement }: OpenStatement): FieldPatterns | undefined {
  return statement.fields;
}

function needsOf(open: OpenStatement): readonly Pending[] {
  const needs = openKeysOf(open).flatMap((key) => key.needs);
  return open.isReached ? needs : [...needs, 'id'];
}

/** The keys of the context that are read when the statement is looked at again. */
function openKeysOf({ statement, isReached, tests }: OpenStatement): readonly ContextKey[] {
  const ofTests = tests.flatMap(({ keys }) => keys);
  return isReached ? ofTests : [...ofTests, ...statement.resources.flatMap(keysOf)];
}

function isSame(one: FieldEquality, other: FieldEquality): boolean {
  return one.field === other.field && one.value === other.value;
}
