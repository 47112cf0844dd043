/** That a figure is of a part of the records, in words. */

export type PartialReason = 'records' | 'time';

/** How far a call looked, where it looked at a part of the records alone. */
export const reachWords: Readonly<Record<PartialReason, string>> = {
  records: 'over the first 1,000,000 records',
  time: 'as far as 2 s reached',
};

/** Why a page of a list ended before it was full. */
export const endWords: Readonly<Record<PartialReason, string>> = {
  records: 'One call looks at 1,000,000 records at most, and it had.',
  time: 'One call takes 2 s at most, and they were over.',
};
