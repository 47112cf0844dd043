import type { JsonSchema } from '../../lib/json-schema.ts';
import type { FieldDefinition, FieldValue, FieldValues } from '../definition.ts';
import type { ExpressionValue, ReadableFields } from './expression-value.ts';

/** The faults of a value, as a code and the end of the sentence "field `x` …". */
export interface ValueProblem {
  readonly code: string;
  readonly message: string;
  /** The JSON pointer of the part that is wrong, from the value on; the value itself where it is left out. */
  readonly pointer?: string;
  /** The problem of each of several parts, reported in place of the problem as a whole. */
  readonly parts?: readonly ValueProblem[];
}

/** The traits that every field of a type has, known without the definition's hints. */
interface FieldTraits {
  /**
   * Text whose byte order is the order of the values; undefined for a value of another type, left by an older
   * definition. Absent where fields of the type cannot be indexed.
   */
  readonly encode?: ((value: FieldValue) => string | undefined) | undefined;
  /** The platform makes the value at each write by `compute`: a client never sends it. */
  readonly isComputed?: true | undefined;
  /** The platform gives each new record the next number: a client never sends it. */
  readonly isNumbered?: true | undefined;
  /** The value is sealed beside the record: it is in no reply, index or filter. */
  readonly isSecret?: true | undefined;
}

export interface FieldBehaviour extends FieldTraits {
  /** The value as stored, or what is wrong with it. Holds whether or not the field's checks are switched on. */
  readonly parse: (input: unknown) => { readonly value: FieldValue } | ValueProblem;
  /** The hints of the definition (`minlength`, `max`, …): asked only where `validate` is true. */
  readonly check?: (value: FieldValue) => ValueProblem | undefined;
  /** The number of steps that `check` takes at most, where that is more than the value is long. */
  readonly checkSteps?: (value: FieldValue) => number;
  /** The value that a query text means, or its mistake. Absent where values are not compared with one. */
  readonly parseQuery?: (text: string) => { readonly value: FieldValue } | ValueProblem;
  /** The query of the operator `contains` by a text, where that is something else than a part of a text. */
  readonly contains?: (text: string) => Contained | ValueProblem;
  /**
   * JSON Schema (2020-12) of exactly the values that `parse` takes; where `validate` is true also of what `check` takes.
   * A type that a schema cannot describe to the end says so beside it, and its schema takes more, never less.
   */
  readonly schema: JsonSchema;
  /** The values have words, so that `search` may find records by them. */
  readonly isSearchable?: true;
  /** The value, made of the record's other values. Of computed fields. */
  readonly compute?: (record: FieldValues) => FieldValue | undefined;
  /** The number of UTF-16 units that the value would have, found without making it. Beside `compute`. */
  readonly computedLength?: (record: FieldValues) => number;
  /** The number of characters and elements that `compute` goes through at most. Beside `compute`. */
  readonly computeSteps?: (record: FieldValues) => number;
}

/** The value that is asked for, and whether another one contains it. */
export interface Contained {
  readonly value: FieldValue;
  /** As the index of the elements has it, where the field has one. */
  readonly encoded?: string | undefined;
  readonly isIn: (value: FieldValue) => boolean;
}

/**
 * One `colType`: a file each, entered in the registry. Everything that the platform knows of a type is here, so no other
 * file names one.
 */
export interface FieldType extends FieldTraits {
  readonly colType: string;
  /** The hints that mean something for this type, beside those every field has. */
  readonly hints: readonly string[];
  /**
   * Reads the definition's hints; a string is what is wrong with them, after "field `x` ".
   * @param fields what an expression of the field may read, where the other fields are known.
   */
  readonly behave: (
    field: FieldDefinition,
    fields?: ReadableFields,
  ) => Omit<FieldBehaviour, keyof FieldTraits> | string;
  /** The `colType` as whose values those of the field are stored and encoded, where that is not its own. */
  readonly storedAs?: (field: FieldDefinition) => string | undefined;
  /** The form of values in expressions. Absent where expressions cannot read them. */
  readonly inExpressions?: (field: FieldDefinition) => ExpressionValue;
  /** A value for the example of a call, where a client sends one. */
  readonly example?: (field: FieldDefinition) => unknown;
  /** The types that take each value of this one, by their `colType`. */
  readonly takenBy?: readonly string[];
  /** A value is a list of elements, of which the hint `items` says what they are. */
  readonly isList?: true;
  /** Values are compared with no query text, so lists are not filtered by the field. */
  readonly isOpaque?: true;
  /** Values may be ids of users, so an owner index may be made from the field. */
  readonly mayNameOwner?: true;
  readonly mayNameParent?: true;
  /**
   * The effect on stored records that one might expect of becoming such a field, and that it lacks: the end of a
   * sentence after "field `x`: ".
   */
  readonly changeWarning?: (before: FieldDefinition | undefined, after: FieldDefinition) => string | undefined;
}

/** Whether the platform gives a field its value, so that no client sends one. */
export function isPlatformMade({ isComputed, isNumbered }: FieldTraits): boolean {
  return isComputed === true || isNumbered === true;
}

/** The steps that are left of those that the checks of one record may take together. */
export interface CheckEffort {
  stepsLeft: number;
}

/** About 10 ms: two texts that are as long as their patterns let them be, or hundreds that are short. */
const stepsOfRecordMax = 500_000;

export function newCheckEffort(): CheckEffort {
  return { stepsLeft: stepsOfRecordMax };
}

/** In place of a value: a text of a file that no value could be made of. It is refused with all else that is wrong with its row. */
export class UnreadText {
  readonly text: string;
  readonly problem: ValueProblem;

  constructor(text: string, problem: ValueProblem) {
    this.text = text;
    this.problem = problem;
  }
}

/**
 * Reads a value as a request sends it: what is stored, or everything that is wrong with it.
 * @param effort the same one for all values of a record.
 */
export function readValue(
  behaviour: FieldBehaviour,
  isChecked: boolean,
  input: unknown,
  effort: CheckEffort = newCheckEffort(),
): { readonly value: FieldValue } | { readonly problems: readonly ValueProblem[] } {
  if (input instanceof UnreadText) return { problems: [input.problem] };
  const parsed = behaviour.parse(input);
  const problem = isValueProblem(parsed) ? parsed : isChecked ? checkValue(behaviour, parsed.value, effort) : undefined;
  if (problem !== undefined) return { problems: problem.parts ?? [problem] };
  return isValueProblem(parsed) ? { problems: [parsed] } : parsed;
}

function checkValue(behaviour: FieldBehaviour, value: FieldValue, effort: CheckEffort): ValueProblem | undefined {
  effort.stepsLeft -= behaviour.checkSteps?.(value) ?? 0;
  if (effort.stepsLeft >= 0) return behaviour.check?.(value);
  return { code: 'too_long', message: 'is too long, together with the other values that are checked by a `pattern`' };
}

export function isValueProblem(result: object): result is ValueProblem {
  return 'code' in result;
}

export function wrongType(expected: string): ValueProblem {
  return { code: 'wrong_type', message: `must be ${expected}` };
}
