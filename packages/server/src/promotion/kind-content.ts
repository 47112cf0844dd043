/** What the contents of several kinds of config items have in common. */
import type { InputError } from '@freehold/contract/problem';
import { checkSchema } from '../lib/check-schema.ts';
import { type JsonSchema, text } from '../lib/json-schema.ts';

const contentBytesMax = 256 * 1024;

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

/** The content as it fits its schema, or what is wrong; what a schema cannot say is asked only of what fits. */
export function readContent<Content>(
  schema: JsonSchema,
  input: unknown,
  check: (content: Content) => readonly InputError[],
): { readonly content: Content } | { readonly errors: readonly InputError[] } {
  const misfits =
    Buffer.byteLength(JSON.stringify(input) ?? '') > contentBytesMax ? [tooLong] : checkSchema(schema, input);
  const errors = misfits.length > 0 ? misfits : check(input as Content);
  return errors.length > 0 ? { errors } : { content: input as Content };
}

const tooLong: InputError = {
  pointer: '',
  code: 'too_long',
  message: `the content may have at most ${contentBytesMax} bytes`,
};

/** An item goes by one name, which its content says too. */
export function otherName(pointer: string, expected: string, actual: string): readonly InputError[] {
  if (expected === actual) return [];
  const message = `the name in the content is \`${actual}\`, and the item is named \`${expected.slice(0, 100)}\``;
  return [{ pointer, code: 'contradiction', message }];
}

export function repeated(names: readonly string[], pointerOf: (index: number) => string): readonly InputError[] {
  return names.flatMap((name, index) =>
    names.indexOf(name) < index
      ? [{ pointer: pointerOf(index), code: 'duplicate', message: `\`${name}\` is listed twice` }]
      : [],
  );
}
