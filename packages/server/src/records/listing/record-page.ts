import type { ReadableText } from '../record-policy.ts';
import type { ListExplanation } from './explanation.ts';
import type { SpentBy } from './walking/record-walk.ts';

/** Records as they are stored, with what the caller may read of them, and a cursor where there may be more. */
export interface RecordPage {
  readonly items: readonly ReadableText[];
  readonly nexttoken: string | null;
  /** Whether the scan budget ended the page before it was full, and then which part of it. */
  readonly isPartial: boolean;
  readonly partialReason?: SpentBy;
  /** Only on request. */
  readonly explain?: ListExplanation;
}
