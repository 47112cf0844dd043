import { booleanType } from './boolean.ts';
import { dateType } from './date.ts';
import { datetimeType } from './datetime.ts';
import { emailType } from './email.ts';
import { enumType } from './enum.ts';
import type { FieldType } from './field-type.ts';
import { guidType } from './guid.ts';
import { integerType } from './integer.ts';
import { jsonType } from './json.ts';
import { numberType } from './number.ts';
import { stringType } from './string.ts';
import { urlType } from './url.ts';

/** The types of values that a client sends one by one, or several of in an array. */
export const plainTypes: readonly FieldType[] = [
  stringType,
  numberType,
  integerType,
  booleanType,
  dateType,
  datetimeType,
  guidType,
  enumType,
  emailType,
  urlType,
  jsonType,
];
