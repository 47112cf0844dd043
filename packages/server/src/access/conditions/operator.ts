import type { AccessContext } from '../context/context.ts';
import type { ContextKey } from '../context/context-key.ts';
import type { Effort } from '../effort.ts';
import type { Mistake } from '../mistake.ts';
import type { Truth } from '../truth.ts';

export type Scalar = string | number | boolean;

/** What the values are that a condition names. */
export type Operand = 'text' | 'pattern' | 'number' | 'date' | 'boolean' | 'address';

/** How a value of the request is compared with those that a condition names. */
export interface Operator {
  readonly operand: Operand;
  /** It holds of what is not there, and of what is like none of the values named. */
  readonly isNegated: boolean;
  /** The text of a value that a condition may name, as it is kept. */
  readExpected(value: Scalar): { readonly text: string } | Mistake;
  /** @param expected texts that `readExpected` gave. */
  comparison(expected: readonly string[], ifVague: IfVague): Comparison;
}

export interface IfVague {
  /** What is said where a comparison cannot be made: of a value that the operator does not read, or with a variable that leads to several members. */
  readonly ifVague: boolean;
}

export interface Comparison {
  /** What the values named ask the context for. */
  readonly keys: readonly ContextKey[];
  /** Means nothing once the effort is spent. */
  compare(value: unknown, context: AccessContext, effort: Effort): Truth;
  /** The texts of the values that the comparison holds of, where no request changes them. */
  readonly texts?: readonly string[];
  /** The only text that the comparison holds of, where that is known. */
  soleText?(context: AccessContext, effort: Effort): string | undefined;
}
