import { numberOrder } from '../order/order-encoding.ts';
import { wholeNumberInExpressions } from './expression-value.ts';

import type { FieldType } from './field-type.ts';
import { integerType } from './integer.ts';

/** A number that the platform gives each new record: 1, 2 and so on, with gaps where a record was not made after all. */
export const autoincrementType: FieldType = {
  colType: 'autoincrement',
  hints: [],
  encode: numberOrder,
  takenBy: ['integer', 'number'],
  isNumbered: true,
  changeWarning: (before, { colType }) =>
    before?.colType === colType ? undefined : 'records from before have no number',
  inExpressions: () => wholeNumberInExpressions,
  behave: ({ name }) => integerType.behave({ name }),
};
