import { booleanType } from './boolean.ts';
import { enumType } from './enum.ts';
import type { FieldType } from './field-type.ts';
import { guidType } from './guid.ts';
import { jsonType } from './json.ts';
import { numberType } from './number.ts';
import { stringType } from './string.ts';

/** Every `colType` there is. A new one is its file and its line here. */
export const fieldTypes: ReadonlyMap<string, FieldType> = new Map(
  [stringType, numberType, booleanType, guidType, enumType, jsonType].map((type) => [type.colType, type]),
);
