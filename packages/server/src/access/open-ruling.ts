import { type CompiledStatement, type OpenStatement, reachOf } from './compiled-statement.ts';
import type { AccessContext, Pending, RequestContext } from './context/context.ts';
import type { ContextKey } from './context/context-key.ts';
import { type Effort, isSpent } from './effort.ts';
import { type FieldGrant, type FieldPatterns, type FieldSet, fieldSetOf } from './field-set.ts';
import { type AskedPath, keysOf } from './patterns/resource-glob.ts';
import { type FieldEquality, type Judgement, type KnownStates, plainJudgements, type Ruling } from './ruling.ts';
import { membersFor, type TextGroup } from './selection/text-group.ts';
import { everyOf, type Truth } from './truth.ts';

/** What the statements say of a request that depends on what is not known yet. */
export interface OpenTally {
  readonly asked: AskedPath;
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
const judgementsMax = 64;

/** Judges by what is still open alone: a list judges many records. */
export class OpenRuling implements Ruling {
  readonly outcome = 'undecided';
  readonly fields = undefined;
  readonly #tally: OpenTally;
  readonly #context: AccessContext;
  /** The context of every record, but for the record. */
  readonly #recordContext: AccessContext;
  /** What looking at the request has left for each record. */
  readonly #stepsLeft: number;
  #steps = 0;
  /** Allowed ones, by which of the open statements took effect: their sets of fields remember what they were asked. */
  readonly #allowed = new Map<string, Judgement>();

  constructor(tally: OpenTally) {
    this.#tally = tally;
    this.#context = tally.asked.context();
    this.#recordContext = without('record', this.#context);
    this.#stepsLeft = tally.asked.effort.stepsLeft;
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
      .map((test) => test.equality(this.#context, this.#tally.asked.effort))
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

  judge(record: Readonly<Record<string, unknown>>, id?: string, states: KnownStates = {}): Judgement {
    const asked = this.#askedAbout(record, id, states);
    const judgement = this.#judge(asked);
    this.#steps += this.#stepsLeft - asked.effort.stepsLeft;
    return judgement;
  }

  /** While nothing but the state after the write is open, what depends on it does not count against the caller yet. */
  #judge(asked: AskedPath): Judgement {
    const { granted, openAllows, openDenies } = this.#tally;
    const denied = takingEffect(openDenies, asked, true);
    if (denied.isWhole) return plainJudgements.explicit_deny;
    const allowed = takingEffect(openAllows, asked, false);
    const perhaps = allowed.isWhole ? [] : allowed.perhaps;
    const grantedNow = perhaps.length === 0 ? allowed.now : [...allowed.now, ...perhaps];
    if (granted.length + grantedNow.length === 0) return plainJudgements.implicit_deny;
    const judgement = this.#allowedWith(grantedNow, denied.now);
    return denied.perhaps.length + perhaps.length > 0 ? { ...judgement, isProvisional: true } : judgement;
  }

  /** With the open statements that took effect. */
  #allowedWith(grantedNow: readonly CompiledStatement[], takenNow: readonly CompiledStatement[]): Judgement {
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
    const judgement: Judgement = fields === undefined ? plainJudgements.allowed : { outcome: 'allowed', fields };
    if (this.#allowed.size >= judgementsMax) this.#allowed.clear();
    this.#allowed.set(effects, judgement);
    return judgement;
  }

  #askedAbout(
    record: Readonly<Record<string, unknown>>,
    id: string | undefined,
    { after, ...before }: KnownStates,
  ): AskedPath {
    const { path } = this.#tally.asked;
    const states = { ...before, ...(after === undefined ? {} : withAfter(after, this.#recordContext)) };
    const known: AccessContext = { ...this.#recordContext, record, ...states };
    const effort: Effort = { stepsLeft: this.#stepsLeft };
    if (id === undefined) return { path, context: () => known, effort };
    const fullPath = typeof path === 'string' ? path : path.before + id;
    const request: RequestContext = {
      ...known.request,
      pathParameters: { ...known.request.pathParameters, id },
      ...(typeof path === 'string' ? {} : { path: fullPath }),
    };
    const whole: AccessContext = { ...without('id', known), request };
    return { path: fullPath, context: () => whole, effort };
  }
}

function withAfter(
  after: NonNullable<KnownStates['after']>,
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
function takingEffect(statements: OpenStatements, asked: AskedPath, inDoubt: boolean): TakingEffect {
  const now: CompiledStatement[] = [];
  const perhaps: CompiledStatement[] = [];
  const { pending = [] } = asked.context();
  const isAfterOpen = pending.length === 1 && pending[0] === 'after';
  for (const open of relevant(statements, asked)) {
    const { statement } = open;
    const effect = effectOf(open, asked);
    const isUnknown = effect === 'unknown' || isSpent(asked.effort);
    if (isUnknown && isAfterOpen && !isSpent(asked.effort)) perhaps.push(statement);
    else if (isUnknown ? inDoubt : effect) {
      now.push(statement);
      if (statement.fields === undefined) return { now, perhaps, isWhole: true };
    }
  }
  return { now, perhaps, isWhole: false };
}

/** Means nothing once the effort is spent. */
function effectOf({ statement, isReached, tests }: OpenStatement, asked: AskedPath): Truth {
  if (isSpent(asked.effort)) return 'unknown';
  const reach = isReached || reachOf(statement, asked);
  if (reach === false) return false;
  const holds = everyOf(tests, (test) => test.test(asked.context(), asked.effort));
  return reach === true || holds === false ? holds : reach;
}

function allOf({ open, openGroups }: OpenStatements): readonly OpenStatement[] {
  return openGroups.length === 0 ? open : [...openGroups.flatMap(({ members }) => members), ...open];
}

/** Those that the record does not rule out at once. */
function relevant({ open, openGroups }: OpenStatements, { context, effort }: AskedPath): readonly OpenStatement[] {
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

/** What is asked of the context where the statement is looked at again. */
function openKeysOf({ statement, isReached, tests }: OpenStatement): readonly ContextKey[] {
  const ofTests = tests.flatMap(({ keys }) => keys);
  return isReached ? ofTests : [...ofTests, ...statement.resources.flatMap(keysOf)];
}

function isSame(one: FieldEquality, other: FieldEquality): boolean {
  return one.field === other.field && one.value === other.value;
}
