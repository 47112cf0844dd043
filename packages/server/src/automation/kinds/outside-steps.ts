/** Steps that send something out of the platform: what their contents are, and what is wrong with them. */
import type { InputError } from '@freehold/contract/problem';
import { withoutExpressions } from '../../expressions/port.ts';
import { closedObjectOf, type JsonSchema, text } from '../../lib/json-schema.ts';
import { someText } from '../../promotion/port.ts';
import { addressPattern, headerName, headers, requestErrors, setByPlatform } from './shared-content.ts';

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
  // What the templates are wrong with is said of them.
  const plain = typeof literal === 'string' ? literal : url;
  return addressPattern.test(plain) ? (URL.parse(plain) ?? undefined) : undefined;
}

export function outsideErrors(step: { readonly type: string }, pointer: string): readonly InputError[] {
  return isHttp(step) ? httpErrors(step, pointer) : [];
}

function isHttp(step: { readonly type: string }): step is HttpContent {
  return step.type === 'http';
}

function httpErrors(step: HttpContent, pointer: string): readonly InputError[] {
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
  if (setByPlatform(name) || ownHeaders.includes(name))
    errors.push({
      pointer: `${pointer}/header`,
      code: 'refused_header',
      message: `\`${name}\` is set by the platform`,
    });
  if (Object.keys(sent).some((other) => other.toLowerCase() === name))
    errors.push({ pointer: `${pointer}/header`, code: 'duplicate', message: `\`${name}\` is listed in \`headers\`` });
  if (secret.prefix !== undefined && secret.basic !== undefined) {
    const message = '`basic` has a prefix of its own';
    errors.push({ pointer: `${pointer}/prefix`, code: 'contradiction', message });
  }
  return errors;
}

/** What steps send to where, a sentence each. */
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
