/** Comparisons of single values as trees over stored records. */
import type { Comparison, MemberPath, MemberType, MemberValue, Where } from '../../lib/where.ts';
import { allOfBounds, anyOfBounds, exactly, notBounds, type WhereBounds } from '../../lib/where-bounds.ts';
import { compareDecimals, type Decimal, readDecimal } from './compared-values.ts';

/** The bounds that a comparison sets on a text, a number or a boolean. */
export interface ScalarBounds {
  readonly bounds: WhereBounds;
  /** It says the same of lists and objects; left out, it says nothing of them. */
  readonly isOfAll?: true;
  /** The types whose values it reads in few steps, however long they are. */
  readonly frugalTypes: readonly MemberType[];
}

export const scalarTypes = ['text', 'number', 'boolean'] as const;

/** There is a value of one of the types. */
export function existsAs(path: MemberPath, types: readonly MemberType[]): WhereBounds {
  return anyOfBounds(types.map((type) => exactly({ kind: 'exists', path, type })));
}

/** The text of the value is one of these, as a number and a boolean have texts; or none of them. */
export function textBounds(path: MemberPath, texts: readonly string[], isNegated: boolean): ScalarBounds {
  const isAny = anyOfBounds(byType(texts).map(([type, values]) => among(path, type, values)));
  const bounds = isNegated ? allOfBounds([existsAs(path, scalarTypes), notBounds(isAny)]) : isAny;
  return { bounds, frugalTypes: scalarTypes };
}

/** The same of a value that is alone in a list, too. */
export function soleTextBounds(path: MemberPath, texts: readonly string[]): ScalarBounds {
  const soles = byType(texts).map(([type, values]) => exactly({ kind: 'sole', path, type, values }));
  return { bounds: anyOfBounds(soles), isOfAll: true, frugalTypes: scalarTypes };
}

/** The values that have one of the texts. */
function byType(texts: readonly string[]): readonly (readonly [type: MemberType, values: readonly MemberValue[]])[] {
  const numbers = texts.map(Number).filter((number, at) => String(number) === texts[at] && Number.isFinite(number));
  const truths = [false, true].filter((value) => texts.includes(String(value)));
  const all = [['text', texts] as const, ['number', numbers] as const, ['boolean', truths] as const];
  return all.filter(([, values]) => values.length > 0);
}

function among(path: MemberPath, type: MemberType, values: readonly MemberValue[]): WhereBounds {
  const [only, ...others] = values;
  if (only === undefined) return anyOfBounds([]);
  const where: Where =
    others.length === 0
      ? { kind: 'compare', path, type, operator: 'eq', value: only }
      : { kind: 'in', path, type, values };
  return exactly(where);
}

/** @param texts of booleans. @param ifVague of a value that is none. */
export function truthBounds(path: MemberPath, texts: readonly string[], ifVague: boolean): ScalarBounds {
  const equal = textBounds(path, texts, false).bounds;
  const readable = textBounds(path, ['false', 'true'], false).bounds;
  const vague = allOfBounds([existsAs(path, scalarTypes), notBounds(readable)]);
  return { bounds: anyOfBounds([equal, ...(ifVague ? [vague] : [])]), frugalTypes: ['number', 'boolean'] };
}

interface Ordering {
  readonly operator: Comparison;
  readonly isNegated: boolean;
  readonly ifVague: boolean;
}

/** A text may be a number as well, or none. */
export function numberBounds(
  path: MemberPath,
  expected: readonly Decimal[],
  { operator, isNegated, ifVague }: Ordering,
): WhereBounds | undefined {
  const values = expected.map(doubleOf);
  if (values.includes(undefined)) return undefined;
  const numbers = values.filter((value) => value !== undefined);
  const fits = anyOfBounds(numbers.map((value) => exactly({ kind: 'compare', path, type: 'number', operator, value })));
  const known = isNegated ? allOfBounds([existsAs(path, ['number']), notBounds(fits)]) : fits;
  const sure = anyOfBounds([known, ...(ifVague ? [existsAs(path, ['boolean'])] : [])]);
  return { above: anyOfBounds([sure, existsAs(path, ['text'])]).above, below: sure.below };
}

/** The double that has just this decimal: then doubles are in the order of their decimals around it. */
function doubleOf(decimal: Decimal): number | undefined {
  const text = `${decimal.isNegative ? '-' : ''}${decimal.whole || '0'}.${decimal.fraction || '0'}`;
  const read = readDecimal(Number(text));
  return read !== undefined && compareDecimals(read, decimal) === 0 ? Number(text) : undefined;
}
