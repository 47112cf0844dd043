import { arrayType } from './array.ts';
import { autoincrementType } from './autoincrement.ts';
import { encryptedType } from './encrypted.ts';
import type { FieldType } from './field-type.ts';
import { formulaType } from './formula.ts';
import { plainTypes } from './plain-types.ts';

/** Every `colType` there is. A new one is its file and its line here, or among the plain ones. */
export const fieldTypes: ReadonlyMap<string, FieldType> = new Map(
  [...plainTypes, arrayType, formulaType, autoincrementType, encryptedType].map((type) => [type.colType, type]),
);
