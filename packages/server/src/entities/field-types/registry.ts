import { booleanType } from './boolean.ts';
import { dateType } from './date.ts';
import { datetimeType } from './datetime.ts';
import { enumType } from './enum.ts';
import type { FieldType } from './field-type.ts';
import { guidType } from './guid.ts';
import { integerType } from './integer.ts';
import { jsonType } from './json.ts';
import { numberType } from './number.ts';
import { stringType } from './string.ts';
import { urlType } from './url.ts';

/** Every `colType` there is. A new one is its file and its line here. */
export const fieldTypes: ReadonlyMap<string, FieldType> = new Map(
  [stringType, numberType, integerType, booleanType, dateType, datetimeType, guidType, enumType, urlType, jsonType].map(
    (type) => [type.colType, type],
  ),
);
