import {
  type CompiledCondition,
  compileCondition,
  type Demand,
  type ExpressionMistake,
  isMistake,
  type Reading,
  type ValueSize,
} from '../../expressions/port.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { invalidInput } from '../../lib/problem.ts';
import { type CompiledEntity, type FieldValue, fieldName, fieldNamed, namedBehaviour } from '../../schema/port.ts';
import { type Filter, type FilterOperator, orderedFilter } from '../listing/filter.ts';
import { nameIn } from '../listing/list-parameters.ts';
import type { ListQuery } from '../listing/list-query.ts';
import { expressionBounds } from '../query/expression-bounds.ts';
import type { RecordData } from '../record.ts';
import type { RecordCall } from '../writing/write-loop.ts';
import {
  type ExpressionValue,
  type FilterExpression,
  type FilterLanguage,
  filterLanguage,
  languageWith,
  nothing,
  readStored,
  readValues,
} from './filter-language.ts';
import { type FilterTargets, type FollowedField, FollowedRecords } from './filter-lookups.ts';

/**
 * @param now milliseconds since the Unix epoch.
 * @param targets left out, no lookup is followed.
 * @throws Problem `invalid_request`.
 */
export function withFilter(call: RecordCall, query: ListQuery, now: number, targets?: FilterTargets): ListQuery {
  const { filter } = query;
  if (filter === undefined) return query;
  const { entity, actor } = call;
  const entities = targets?.entities ?? new Map();
  const compiled = compiledFilter(entity, filter, entities);
  if (isMistake(compiled)) throw refusal(entity, compiled);
  const variables = { now: new Date(now), user: { id: actor.userId } };
  const followed = followedBy(entity, { condition: compiled, variables }, entities);
  const lookups =
    targets === undefined || followed.length === 0 ? undefined : new FollowedRecords(targets.call, followed);
  return { ...query, expression: bindFilter(entity, { condition: compiled, lookups, variables }) };
}

type Targets = FilterTargets['entities'];

interface CompiledBefore {
  /** The entity and the targets. Their definitions may be others by now, or have gone. */
  readonly entities: readonly WeakRef<CompiledEntity>[];
  readonly condition: CompiledCondition;
}

/** Of all entities together, since a condition takes up to 100 KB and callers choose how many there are. */
const compiledBefore = new BoundedMap<string, CompiledBefore>(256);

/** Filters that are asked again are compiled once. */
function compiledFilter(entity: CompiledEntity, text: string, targets: Targets): CompiledCondition | ExpressionMistake {
  const key = [entity.name, ...targets.keys(), text].join(' ');
  const entities = [entity, ...targets.values()];
  const before = compiledBefore.get(key);
  if (before?.entities.every((of, at) => of.deref() === entities[at]) === true) return before.condition;
  const condition = compileCondition(text, languageWith(entity, targets).language);
  if (isMistake(condition)) return condition;
  const tooMany = lookupsOf(condition)[lookupsMax];
  if (tooMany !== undefined) return { message: `it follows more than ${lookupsMax} lookups`, at: tooMany.at };
  compiledBefore.set(key, { entities: entities.map((of) => new WeakRef(of)), condition });
  return condition;
}

/** Of each the first reading: a record may ask for so many others. */
const lookupsMax = 4;

function lookupsOf({ readings }: CompiledCondition): readonly Reading[] {
  const following = readings.filter(({ member }) => member !== undefined);
  return following.filter(({ name }, at) => following.findIndex((one) => one.name === name) === at);
}

function followedBy(holder: CompiledEntity, bound: Omit<Bound, 'lookups'>, targets: Targets): readonly FollowedField[] {
  const { condition } = bound;
  return lookupsOf(condition).flatMap(({ name }) => {
    const entity = targets.get(name);
    if (entity === undefined) return [];
    const members = condition.readings.flatMap((one) => (one.name === name ? (one.member ?? []) : []));
    const implied = withRanges(impliedBy(bound, entity, name).map(({ filter }) => filter));
    return [{ name, field: fieldName(holder, name), entity, members: new Set(members), implied }];
  });
}

function refusal(entity: CompiledEntity, { message, at, field }: ExpressionMistake) {
  const isField = field !== undefined && fieldNamed(entity, field) !== undefined;
  const code = isField ? 'not_filterable' : 'invalid_expression';
  const what = isField ? `field \`${field}\` cannot be filtered on` : message;
  return invalidInput('invalid_request', [
    { pointer: `/${nameIn(entity, 'filter')}`, code, message: `at character ${at + 1}: ${what}` },
  ]);
}

type Variables = Readonly<Record<string, unknown>>;

interface Bound {
  readonly condition: CompiledCondition;
  readonly lookups: FollowedRecords | undefined;
  readonly variables: Variables;
}

function bindFilter(entity: CompiledEntity, bound: Bound): FilterExpression {
  const { condition, lookups } = bound;
  const { values } = filterLanguage(entity);
  const implied = impliedBy(bound, entity);
  const isImplied =
    condition.isConjunctionOfDemands &&
    implied.length === condition.demands.length &&
    implied.every(({ isSame }) => isSame);
  const evaluation = new FilterEvaluation(bound, values);
  return {
    readings: condition.readings,
    implied: withRanges(implied.map(({ filter }) => filter)),
    isImplied,
    holds: (data) => evaluation.holds(data),
    bounds: () => expressionBounds(entity, condition.shape(), { values, variables: bound.variables }),
    lookups,
    steps: () => evaluation.steps + (lookups?.steps ?? 0),
  };
}

/** @param lookup the name by which the filter reads the records of the entity; undefined for those that a list is of. */
function impliedBy(
  { condition, variables }: Omit<Bound, 'lookups'>,
  entity: CompiledEntity,
  lookup?: string,
): readonly Implied[] {
  const { values } = filterLanguage(entity);
  return condition.demands.flatMap(({ field: name, member, operator, constant }) => {
    const [of, read] = member === undefined ? [undefined, name] : [name, member];
    const value = of === lookup ? values.get(read) : undefined;
    if (value === undefined) return [];
    return impliedFilter(entity, { field: value.field, operator, value, constant: constant(variables) }) ?? [];
  });
}

/** Evaluates a condition on one record after the other, and adds up what that takes. */
class FilterEvaluation {
  steps = 0;
  readonly #bound: Bound;
  readonly #values: FilterLanguage['values'];
  readonly #fields: ReadonlySet<string>;
  readonly #followed: readonly string[];

  constructor(bound: Bound, values: FilterLanguage['values']) {
    this.#bound = bound;
    this.#values = values;
    this.#fields = new Set(bound.condition.readings.map(({ name }) => name));
    this.#followed = lookupsOf(bound.condition).map(({ name }) => name);
  }

  holds(data: RecordData): boolean {
    const { condition, lookups, variables } = this.#bound;
    const own = readValues(this.#values, data, this.#fields);
    const others = new Map(
      this.#followed.flatMap((field) => {
        const values = lookups?.of(data, field);
        return values === undefined ? [] : [[field, values] as const];
      }),
    );
    const effort = { steps: 0 };
    const holds = condition.holds(
      {
        fields: own.fields,
        lookups: Object.fromEntries([...others].map(([field, { fields }]) => [field, fields])),
        variables,
        sizeOf: ({ name, member }: Reading): ValueSize =>
          (member === undefined ? own.sizes.get(name) : others.get(name)?.sizes.get(member)) ?? nothing,
      },
      effort,
    );
    this.steps += effort.steps;
    return holds;
  }
}

/** A condition that holds of all records of which a part of an expression does. */
interface Implied {
  readonly filter: Filter;
  /** Whether the part holds of all records of which the condition does, too. */
  readonly isSame: boolean;
}

/** The field of a part, how its values stand in expressions, and what they are compared with. */
interface FilterComparison extends Pick<Demand, 'field' | 'operator'> {
  readonly value: ExpressionValue;
  readonly constant: unknown;
}

/** Undefined where the order of the field's values is not known to be the order of the expression. */
function impliedFilter(entity: CompiledEntity, comparison: FilterComparison): Implied | undefined {
  const { field, operator, value, constant } = comparison;
  const encode = namedBehaviour(entity, field)?.encode;
  const constants: readonly unknown[] = operator === 'in' && Array.isArray(constant) ? constant : [constant];
  const bounds = constants.flatMap((one) => boundOf(value, one) ?? []);
  if (encode === undefined || bounds.length < constants.length) return undefined;
  // A day is compared with the beginning of the day that a time is in: so the bound itself is let through.
  const filter = orderedFilter(field, encode, { operator: closed[operator], values: bounds });
  const isSame = (bound: FieldValue, at: number): boolean => isSameValue(readStored(value, bound), constants[at]);
  return { filter, isSame: (operator === '==' || operator === 'in') && bounds.every(isSame) };
}

function boundOf(value: ExpressionValue, constant: unknown): readonly [FieldValue] | undefined {
  const bound = constant === undefined ? undefined : value.write?.(constant);
  return bound === undefined || !isComparable(bound) ? undefined : [bound];
}

const closed: Readonly<Record<Demand['operator'], FilterOperator>> = {
  '==': 'eq',
  '<': 'lte',
  '<=': 'lte',
  '>': 'gte',
  '>=': 'gte',
  startsWith: 'startswith',
  in: 'in',
};

function isComparable(bound: FieldValue): boolean {
  // No store has these, and one might take them for others.
  return typeof bound !== 'string' || (bound.isWellFormed() && !bound.includes('\0'));
}

function isSameValue(left: unknown, right: unknown): boolean {
  if (left instanceof Date && right instanceof Date) return left.getTime() === right.getTime();
  if (typeof left === 'bigint' || typeof right === 'bigint')
    return left !== undefined && Number(left) === Number(right);
  return left === right;
}

/** The conditions with the two ends of a range as one, since one condition narrows the range of an index. */
function withRanges(filters: readonly Filter[]): readonly Filter[] {
  const ranges = filters.flatMap((least) => {
    const most = filters.find(({ field, operator }) => field === least.field && operator === 'lte');
    if (least.operator !== 'gte' || most === undefined) return [];
    const { field, meets } = least;
    const values = [...least.values, ...most.values];
    const encoded = [...least.encoded, ...most.encoded];
    return [
      {
        field,
        operator: 'between' as const,
        values,
        encoded,
        meets: (value) => meets(value) && most.meets(value),
      } satisfies Filter,
    ];
  });
  return [...ranges, ...filters];
}
