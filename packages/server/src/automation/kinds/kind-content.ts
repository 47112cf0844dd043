/** The common part of the contents of several kinds of config items. */
import type { InputError } from '@freehold/contract/problem';
import { type JsonSchema, text } from '../../lib/json-schema.ts';

export const itemName: JsonSchema = {
  ...text,
  pattern: '^[a-z][a-z0-9_-]{0,62}$',
  description: 'a lower-case letter and then at most 62 of `a-z`, `0-9`, `_`, `-`',
};

export const remark: JsonSchema = { ...text, maxLength: 2000 };

export function someText(maxLength: number): JsonSchema {
  return { ...text, minLength: 1, maxLength };
}

export function listOf(items: JsonSchema, maxItems: number, minItems = 0): JsonSchema {
  return { type: 'array', ...(minItems > 0 ? { minItems } : {}), maxItems, items };
}

export function repeated(names: readonly string[], pointerOf: (index: number) => string): readonly InputError[] {
  return names.flatMap((name, index) =>
    names.indexOf(name) < index
      ? [{ pointer: pointerOf(index), code: 'duplicate', message: `\`${name}\` is listed twice` }]
      : [],
  );
}
