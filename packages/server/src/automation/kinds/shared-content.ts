/** The parts that logic blocks and events share: names, conditions on records, and requests to other systems. */

import type { InputError } from '@freehold/contract/problem';
import { withoutExpressions } from '../../expressions/port.ts';
import { closedObjectOf, type JsonSchema, text } from '../../lib/json-schema.ts';
import { operators } from '../../records/port.ts';
import { listOf, repeated, someText } from './kind-content.ts';

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

export interface FieldCondition {
  readonly field: string;
  readonly op: (typeof operators)[number];
  readonly value: unknown;
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

const headerName: JsonSchema = {
  ...text,
  pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$",
  description: 'the name of a header',
};

/** The headers of a request; nothing in them is a secret. */
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

const addressPattern = /^https?:\/\/[^\s\\#]+$/;

export const address: JsonSchema = {
  ...text,
  minLength: 1,
  maxLength: 2000,
  pattern: addressPattern.source,
  description: 'an https address without fragment; http is for `localhost` alone',
};

/** The faults of where a request goes and with what it carries: neither may hold a secret. */
export function requestErrors(
  { url, headers: sent = {} }: { readonly url: string; readonly headers?: Readonly<Record<string, string>> },
  pointer: string,
): readonly InputError[] {
  const ofUrl = addressProblem(url);
  const names = Object.keys(sent);
  const ofHeaders = names.flatMap((name): readonly InputError[] => {
    const problem = headerProblem(name.toLowerCase());
    const at = `${pointer}/headers/${name.replaceAll('~', '~0')}`;
    return problem === undefined ? [] : [{ pointer: at, code: 'refused_header', message: `\`${name}\` ${problem}` }];
  });
  const inLowerCase = names.map((name) => name.toLowerCase());
  return [
    ...(ofUrl === undefined
      ? []
      : [{ pointer: `${pointer}/url`, code: 'invalid_address', message: `\`url\` ${ofUrl}` }]),
    ...ofHeaders,
    ...repeated(inLowerCase, () => `${pointer}/headers`),
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
function setByPlatform(name: string): boolean {
  return platformHeaders.includes(name);
}

export interface HttpContent {
  readonly type: 'http';
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Expressions stand behind the host alone. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly secret?: SecretContent;
}

/** A secret of the environment in one header: after `prefix`, or as the password of the user `basic`. No templates. */
interface SecretContent {
  readonly name: string;
  readonly header: string;
  readonly prefix?: string;
  readonly basic?: string;
}

export interface MailContent {
  readonly type: 'mail';
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

const secret: JsonSchema = closedObjectOf(
  {
    name: {
      ...text,
      pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$',
      description: 'the name of a secret: a letter and then at most 63 of `A-Z`, `a-z`, `0-9`, `_`, `-`',
    },
    header: headerName,
    prefix: { ...text, pattern: '^[ -~]{1,20}$', description: '1 to 20 printable ASCII characters' },
    basic: { ...text, pattern: '^[!-9;-~]{1,100}$', description: 'a user: printable ASCII without spaces and `:`' },
  },
  ['prefix', 'basic'],
);

export const outsideSteps = {
  http: {
    members: {
      method: { ...text, enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
      url: {
        ...text,
        minLength: 1,
        maxLength: 2000,
        pattern: '^https?://[^\\s\\\\#/?]+([/?].*)?$',
        description: 'an https address; http is for `localhost` alone',
      },
      headers,
      body: {},
      secret,
    },
    optional: ['headers', 'body', 'secret'],
  },
  mail: { members: { to: someText(500), subject: someText(300), text: someText(16 * 1024) } },
};

/**
 * The address with an `x` for each expression: its scheme and host are those of every address that the step calls.
 * Undefined where they are not, or it is none.
 */
export function literalAddress(url: string): URL | undefined {
  const [authority = ''] = url.replace(/^https?:\/\//, '').split(/[/?]/, 1);
  if (authority.includes('{')) return undefined;
  const literal = withoutExpressions(url, 'x');
  // Mistakes in the templates are reported for the templates.
  const plain = typeof literal === 'string' ? literal : url;
  return addressPattern.test(plain) ? (URL.parse(plain) ?? undefined) : undefined;
}

export function httpErrors(step: HttpContent, pointer: string): readonly InputError[] {
  const literal = literalAddress(step.url);
  const message = '`url` must be an https address without fragment, with expressions behind its host alone';
  if (literal === undefined) return [{ pointer: `${pointer}/url`, code: 'invalid_address', message }];
  return [...requestErrors({ ...step, url: literal.href }, pointer), ...secretErrors(step, `${pointer}/secret`)];
}

/** Headers of a call that the platform writes itself. */
const ownHeaders = ['accept-encoding', 'content-type', 'freehold-depth', 'idempotency-key', 'user-agent'];

function secretErrors({ secret, headers: sent = {} }: HttpContent, pointer: string): readonly InputError[] {
  if (secret === undefined) return [];
  const name = secret.header.toLowerCase();
  const errors: InputError[] = [];
  const refuse = (member: string, code: string, message: string) =>
    errors.push({ pointer: `${pointer}/${member}`, code, message });
  if (setByPlatform(name) || ownHeaders.includes(name))
    refuse('header', 'refused_header', `\`${name}\` is set by the platform`);
  if (Object.keys(sent).some((other) => other.toLowerCase() === name))
    refuse('header', 'duplicate', `\`${name}\` is listed in \`headers\``);
  if (secret.prefix !== undefined && secret.basic !== undefined)
    refuse('prefix', 'contradiction', '`basic` has a prefix of its own');
  return errors;
}

/** A sentence for each thing that steps send outside, with its destination. */
export function sentOutside(steps: readonly (HttpContent | MailContent)[]): readonly string[] {
  const sentences = steps.flatMap((step): readonly string[] => {
    if (step.type === 'mail') return [`mails are sent to \`${step.to}\``];
    const { url, secret } = step;
    const host = literalAddress(url)?.host ?? url;
    return [
      `data may be sent to \`${url}\``,
      ...(secret === undefined ? [] : [`the secret \`${secret.name}\` is sent to \`${host}\``]),
    ];
  });
  return [...new Set(sentences)];
}
