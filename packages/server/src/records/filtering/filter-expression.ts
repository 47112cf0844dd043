import type { Reading } from '../../expressions/port.ts';
import type { Filter } from '../listing/filter.ts';
import type { RecordData } from '../record.ts';

/** The expression of a list's parameter `filter`, for one request. */
export interface FilterExpression {
  /** The fields that it reads. */
  readonly readings: readonly Reading[];
  /** Conditions that every record meets which it holds of. */
  readonly implied: readonly Filter[];
  /** Whether it holds of every record that meets them. */
  readonly isImplied: boolean;
  holds(data: RecordData): boolean;
  /** What evaluating it has taken so far, in steps: about 2 ns each. */
  steps(): number;
}
