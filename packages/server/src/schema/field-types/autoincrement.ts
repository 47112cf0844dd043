import type { FieldType } from './field-type.ts';
import { integerType } from './integer.ts';

/** A number that the platform gives each new record: 1, 2 and so on, with gaps where a record was not made after all. */
export const autoincrementType: FieldType = {
  colType: 'autoincrement',
  hints: [],
  behave: ({ name }) => {
    const behaviour = integerType.behave({ name });
    return typeof behaviour === 'string' ? behaviour : { ...behaviour, isNumbered: true };
  },
};
