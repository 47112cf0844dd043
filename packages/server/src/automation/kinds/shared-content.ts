/** What the contents of logic blocks and events have in common: names, conditions on records, and requests to other systems. */
import type { InputError } from '@freehold/contract/problem';
import { closedObjectOf, type JsonSchema, text } from '../../lib/json-schema.ts';
import { listOf, repeated } from '../../promotion/port.ts';
import { operators } from '../../records/port.ts';

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
