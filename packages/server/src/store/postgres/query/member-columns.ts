/**
 * The members of records that a statement looks at, each read once for a row, of `j`: the value as `jsonb`. A number that
 * no double holds to the full, for which PostgreSQL would end the statement, is `NaN` there: such a row is odd.
 */
import { type MemberPath, type MemberType, type MemberValue, soleElementsMax, timeForms } from '../../../lib/where.ts';
import type { Value } from '../connections/connection.ts';

/** The values of a statement, in the order of its parameters. */
export class Parameters {
  readonly values: Value[];

  /** @param values the first ones. */
  constructor(values: readonly Value[]) {
    this.values = [...values];
  }

  add(value: Value, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}

export class MemberColumns {
  readonly #parameters: Parameters;
  /** The names of the columns by their texts. */
  readonly #names = new Map<string, string>();
  readonly #odd = new Set<string>(['j is null']);

  constructor(parameters: Parameters) {
    this.#parameters = parameters;
  }

  /** To be added behind other columns: begins with a comma where there are any. */
  get list(): string {
    return [...this.#names].map(([text, name]) => `, ${text} as ${name}`).join('');
  }

  /** Whether the row cannot be judged by the server. Holds of what was added so far. */
  get isOdd(): string {
    return [...this.#odd].join(' or ');
  }

  /** The value where it is of the type, else null. Texts are collated "C", numbers are `float8`. */
  typed(path: MemberPath, type: MemberType): string {
    switch (type) {
      case 'text':
        return this.#text(path);
      case 'date':
        return `case when ${this.#text(path)} ~ '${timeForms.date}' then ${this.#text(path)} end`;
      case 'datetime':
        return `case when ${this.#text(path)} ~ '${timeForms.datetime}' then ${this.#text(path)} end`;
      case 'number':
        return this.#number(path);
      case 'integer': {
        const number = this.#number(path);
        return `case when ${number} = trunc(${number}) and abs(${number}) <= ${Number.MAX_SAFE_INTEGER} then ${number} end`;
      }
      case 'boolean':
        return this.#column(readers.boolean(at(path)));
    }
  }

  /** Whether the value is equal to a constant of the type. Never null. */
  equal(path: MemberPath, type: MemberType, value: MemberValue): string {
    const { base } = sqlTypes[type];
    // An equal value has the form of the constant.
    const member = type === 'boolean' ? this.typed(path, type) : this.#plain(path, type);
    return `(${member} = ${this.constant(value, base)}) is true`;
  }

  among(path: MemberPath, type: MemberType, values: readonly MemberValue[]): string {
    return `(${this.#plain(path, type)} = any(${this.constants(values, type)})) is true`;
  }

  isPresent(path: MemberPath): string {
    return this.#column(`coalesce(jsonb_typeof(${at(path)}) <> 'null', false)`);
  }

  /** Whether an array has an element. Null in a row that is odd. */
  hasElement(path: MemberPath, type: MemberType, value: MemberValue): string {
    const array = at(path);
    const { base } = sqlTypes[type];
    if (base === 'text')
      return this.#column(ifArray(array, `jsonb_exists(${array}, ${this.#parameters.add(value as string, 'text')})`));
    if (base === 'boolean') return this.#column(ifArray(array, `${array} @> '[${value === true}]'::jsonb`));
    const isAny = `coalesce(bool_or(${readers.float8('element')} = ${this.constant(value, base)}), false)`;
    return this.#ofElements(base, isAny, array);
  }

  /** Whether the value, or the only element of an array that is not null, is one of these. Null in a row that is odd. */
  isSole(path: MemberPath, type: MemberType, values: readonly MemberValue[]): string {
    const array = at(path);
    const { base } = sqlTypes[type];
    const isOne = `(${readers[base]('element')} = any(${this.constants(values, type)})) is true`;
    const isSole = `count(*) filter (where jsonb_typeof(element) <> 'null') = 1 and bool_or(${isOne})`;
    const ofArray = this.#ofElements(base, isSole, array, `jsonb_array_length(${array}) <= ${soleElementsMax}`);
    return `(${ofArray} or ${this.among(path, type, values)})`;
  }

  /** @param ifOf of which arrays they are read. */
  #ofElements(base: SqlBase, holds: string, array: string, ifOf = 'true'): string {
    const isOdd = `bool_or(${readers.float8('element')} = 'NaN')`;
    const judged = base === 'float8' ? `case when ${isOdd} then null else ${holds} end` : holds;
    const read = `(select ${judged} from jsonb_array_elements(${array}) as elements (element))`;
    const name = this.#column(ifArray(array, `case when ${ifOf} then ${read} else false end`));
    if (base === 'float8') this.#odd.add(`${name} is null`);
    return name;
  }

  constant(value: MemberValue, base: SqlBase): string {
    return this.#parameters.add(String(value), base) + (base === 'text' ? ' collate "C"' : '');
  }

  /** As an array. */
  constants(values: readonly MemberValue[], type: MemberType): string {
    const { base } = sqlTypes[type];
    return this.#parameters.add(values.map(String), `${base}[]`) + (base === 'text' ? ' collate "C"' : '');
  }

  /** Without a look at the form. */
  #plain(path: MemberPath, type: MemberType): string {
    const { base } = sqlTypes[type];
    return this.typed(path, base === 'text' ? 'text' : base === 'float8' ? 'number' : 'boolean');
  }

  #text(path: MemberPath): string {
    const text = `(${[at(path.slice(0, -1)), literal(path.at(-1))].join(' ->> ')}) collate "C"`;
    return this.#column(ofType(at(path), 'string', text));
  }

  #number(path: MemberPath): string {
    const name = this.#column(numberOf(at(path)));
    this.#odd.add(`${name} is not distinct from 'NaN'`);
    return name;
  }

  #column(text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const name = `m${this.#names.size + 1}`;
    this.#names.set(text, name);
    return name;
  }
}

type SqlBase = 'text' | 'float8' | 'boolean';

export const sqlTypes: Readonly<Record<MemberType, { readonly base: SqlBase }>> = {
  text: { base: 'text' },
  date: { base: 'text' },
  datetime: { base: 'text' },
  number: { base: 'float8' },
  integer: { base: 'float8' },
  boolean: { base: 'boolean' },
};

/** Of numbers in between, a double is next to each; sums of some thousands of them are in the range of doubles. */
const leastMagnitude = '1e-300';
const greatestMagnitude = '1e300';

function at(path: MemberPath): string {
  return ['j', ...path.map(literal)].join(' -> ');
}

/** Member names have neither quotes nor backslashes. */
function literal(name = ''): string {
  return `'${name}'`;
}

function ofType(value: string, type: string, read: string): string {
  return `case when jsonb_typeof(${value}) = '${type}' then ${read} end`;
}

function numberOf(value: string): string {
  const number = `(${value})::numeric`;
  const isOrdinary = `${number} = 0 or abs(${number}) between ${leastMagnitude} and ${greatestMagnitude}`;
  return ofType(value, 'number', `case when ${isOrdinary} then (${value})::float8 else 'NaN' end`);
}

/** A value of `jsonb` as one of the type, else null. */
const readers: Readonly<Record<SqlBase, (value: string) => string>> = {
  text: (value) => ofType(value, 'string', `(${value} #>> '{}') collate "C"`),
  float8: numberOf,
  boolean: (value) => ofType(value, 'boolean', `(${value})::boolean`),
};

function ifArray(value: string, read: string): string {
  return `case when jsonb_typeof(${value}) = 'array' then ${read} else false end`;
}
