/** What the contents of several kinds of config items have in common. */
import type { InputError } from '@freehold/contract/problem';
import { checkSchema } from '../../lib/check-schema.ts';
import { closedObjectOf, type JsonSchema, text } from '../../lib/json-schema.ts';
import { operators } from '../../records/port.ts';
import { systemEntityNames } from '../../schema/port.ts';
import type { ItemReference } from '../config-kind.ts';

const contentBytesMax = 256 * 1024;

export const itemName: JsonSchema = {
  ...text,
  pattern: '^[a-z][a-z0-9_-]{0,62}$',
  description: 'a lower-case letter and then at most 62 of `a-z`, `0-9`, `_`, `-`',
};

export const entityName: JsonSchema = {
  ...text,
  pattern: '^[a-z][a-z0-9_]{0,62}$',
  description: 'the name of an entity: a lower-case letter and then at most 62 of `a-z`, `0-9`, `_`',
};

export const fieldName: JsonSchema = {
  ...text,
  pattern: '^[A-Za-z][A-Za-z0-9_]{0,62}$',
  description: 'the name of a field: a letter and then at most 62 of `A-Z`, `a-z`, `0-9`, `_`',
};

export const remark: JsonSchema = { ...text, maxLength: 2000 };

export function someText(maxLength: number): JsonSchema {
  return { ...text, minLength: 1, maxLength };
}

export function listOf(items: JsonSchema, maxItems: number, minItems = 0): JsonSchema {
  return { type: 'array', ...(minItems > 0 ? { minItems } : {}), maxItems, items };
}

const operand: JsonSchema = { type: ['string', 'number', 'boolean'], maxLength: 1000 };

/** Conditions on the fields of a record, by the operators that lists have. */
export const fieldConditions = listOf(
  closedObjectOf(
    {
      field: fieldName,
      op: { ...text, enum: operators },
      value: { type: ['string', 'number', 'boolean', 'array'], maxLength: 1000, maxItems: 100, items: operand },
    },
    [],
  ),
  20,
);

export const headerName: JsonSchema = {
  ...text,
  pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$",
  description: 'the name of a header',
};

/** What a request carries beside its body; nothing in it is a secret. */
export const headers: JsonSchema = {
  type: 'object',
  maxProperties: 20,
  propertyNames: headerName,
  additionalProperties: {
    ...text,
    maxLength: 1000,
    pattern: '^[\\t\\x20-\\x7e]*$',
    description: 'printable ASCII text',
  },
};

export const addressPattern = /^https?:\/\/[^\s\\#]+$/;

export const address: JsonSchema = {
  ...text,
  minLength: 1,
  maxLength: 2000,
  pattern: addressPattern.source,
  description: 'an https address without fragment; http is for `localhost` alone',
};

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

/** What is wrong with where a request goes and with what it carries: neither may hold a secret. */
export function requestErrors(
  { url, headers: sent = {} }: { readonly url: string; readonly headers?: Readonly<Record<string, string>> },
  pointer: string,
): readonly InputError[] {
  const ofUrl = addressProblem(url);
  const ofHeaders = Object.keys(sent).flatMap((name): readonly InputError[] => {
    const message = headerProblem(name.toLowerCase());
    return message === undefined
      ? []
      : [
          {
            pointer: `${pointer}/headers/${name.replaceAll('~', '~0')}`,
            code: 'refused_header',
            message: `\`${name}\` ${message}`,
          },
        ];
  });
  return [
    ...(ofUrl === undefined
      ? []
      : [{ pointer: `${pointer}/url`, code: 'invalid_address', message: `\`url\` ${ofUrl}` }]),
    ...ofHeaders,
    ...repeated(
      Object.keys(sent).map((name) => name.toLowerCase()),
      () => `${pointer}/headers`,
    ),
  ];
}

function addressProblem(url: string): string | undefined {
  const parsed = URL.parse(url);
  if (parsed === null) return 'must be an https address';
  if (parsed.username + parsed.password !== '') return 'holds credentials, and secrets do not belong in configuration';
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(parsed.hostname);
  return parsed.protocol === 'https:' || isLocal
    ? undefined
    : 'must be an https address: http is for `localhost` alone';
}

const secretHeaders = ['authorization', 'proxy-authorization', 'cookie', 'x-api-key', 'x-auth-token', 'x-access-token'];
const platformHeaders = [
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'upgrade',
  'te',
  'trailer',
  'expect',
];

function headerProblem(name: string): string | undefined {
  if (secretHeaders.includes(name)) return 'carries a secret, and secrets do not belong in configuration';
  return setByPlatform(name) ? 'is set by the platform' : undefined;
}

/** @param name of a header, in lower case. */
export function setByPlatform(name: string): boolean {
  return platformHeaders.includes(name);
}

/** The entity that is named, where it is the builder's own: those of access control are in every org. */
export function entityReference(name: string, pointer: string, reason: string): readonly ItemReference[] {
  return systemEntityNames.includes(name) ? [] : [{ kind: 'entity', name, pointer, reason }];
}
