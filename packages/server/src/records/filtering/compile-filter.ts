import {
  type Condition,
  compileCondition,
  isMistake,
  type Mistake,
  type Reading,
  type ValueSize,
} from '../../expressions/port.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { invalidInput } from '../../lib/problem.ts';
import { type CompiledEntity, type FieldValue, valueSize } from '../../schema/port.ts';
import { nameIn } from '../listing/list-parameters.ts';
import type { ListQuery } from '../listing/list-query.ts';
import type { RecordData } from '../record.ts';
import type { RecordCall } from '../writing/write-loop.ts';
import { impliedFilter, withRanges } from './filter-demands.ts';
import type { FilterExpression } from './filter-expression.ts';
import { type FilterLanguage, filterLanguage, readStored } from './filter-language.ts';

/** @param now milliseconds since the Unix epoch. @throws Problem `invalid_request`. */
export function withFilter(call: RecordCall, query: ListQuery, now: number): ListQuery {
  const { filter } = query;
  if (filter === undefined) return query;
  const { entity, actor } = call;
  const compiled = compiledFilter(entity, filter);
  if (isMistake(compiled)) throw refusal(entity, compiled);
  return { ...query, expression: bindFilter(entity, compiled, { now: new Date(now), user: { id: actor.userId } }) };
}

interface CompiledBefore {
  /** Its definition may be another by now, or have gone. */
  readonly entity: WeakRef<CompiledEntity>;
  readonly condition: Condition;
}

/** Of all entities together, since a condition takes up to 100 KB and callers choose how many there are. */
const compiledBefore = new BoundedMap<string, CompiledBefore>(256);

/** Filters that are asked again are compiled once. */
function compiledFilter(entity: CompiledEntity, text: string): Condition | Mistake {
  const key = `${entity.name} ${text}`;
  const before = compiledBefore.get(key);
  if (before?.entity.deref() === entity) return before.condition;
  const condition = compileCondition(text, filterLanguage(entity).language);
  if (!isMistake(condition)) compiledBefore.set(key, { entity: new WeakRef(entity), condition });
  return condition;
}

function refusal(entity: CompiledEntity, { message, at, field }: Mistake) {
  const isField = field !== undefined && entity.fields.has(field);
  const code = isField ? 'not_filterable' : 'invalid_expression';
  const what = isField ? `field \`${field}\` cannot be filtered on` : message;
  return invalidInput('invalid_request', [
    { pointer: `/${nameIn(entity, 'filter')}`, code, message: `at character ${at + 1}: ${what}` },
  ]);
}

type Variables = Readonly<Record<string, unknown>>;

function bindFilter(entity: CompiledEntity, condition: Condition, variables: Variables): FilterExpression {
  const { values } = filterLanguage(entity);
  const implied = condition.demands.flatMap(({ field, operator, constant }) => {
    const value = values.get(field);
    return value === undefined
      ? []
      : (impliedFilter(entity, { field, operator, value, constant: constant(variables) }) ?? []);
  });
  const isImplied =
    condition.isConjunctionOfDemands &&
    implied.length === condition.demands.length &&
    implied.every(({ isSame }) => isSame);
  const evaluation = new Evaluation(condition, values, variables);
  return {
    readings: condition.readings,
    implied: withRanges(implied.map(({ filter }) => filter)),
    isImplied,
    holds: (data) => evaluation.holds(data),
    steps: () => evaluation.steps,
  };
}

/** Evaluates a condition on one record after the other, and adds up what that takes. */
class Evaluation {
  steps = 0;
  readonly #condition: Condition;
  readonly #values: FilterLanguage['values'];
  readonly #variables: Variables;
  readonly #fields: ReadonlySet<string>;

  constructor(condition: Condition, values: FilterLanguage['values'], variables: Variables) {
    this.#condition = condition;
    this.#values = values;
    this.#variables = variables;
    this.#fields = new Set(condition.readings.map(({ name }) => name));
  }

  holds(data: RecordData): boolean {
    const fields: Record<string, unknown> = {};
    const sizes = new Map<string, ValueSize>();
    for (const name of this.#fields) {
      const stored = held(data, name);
      const read = this.#values.get(name);
      const value = read === undefined ? undefined : readStored(read, stored);
      if (value !== undefined) fields[name] = value;
      sizes.set(name, sizeOf(stored));
    }
    const effort = { steps: 0 };
    const size = ({ name }: Reading): ValueSize => sizes.get(name) ?? nothing;
    const values = { fields, lookups: {}, variables: this.#variables, sizeOf: size };
    const holds = this.#condition.holds(values, effort);
    this.steps += effort.steps;
    return holds;
  }
}

const nothing: ValueSize = { characters: 0, elements: 0 };

function sizeOf(stored: FieldValue | undefined): ValueSize {
  return { characters: valueSize(stored), elements: Array.isArray(stored) ? stored.length : 0 };
}

function held(data: RecordData, name: string): FieldValue | undefined {
  return Object.hasOwn(data, name) ? data[name] : undefined;
}
