import type { InputError } from '@freehold/contract/problem';
import type { SettingType } from '../../config/port.ts';
import { isEmailAddress } from '../../lib/formats/email-address.ts';
import { isObject, unknownMembers, wrong } from '../../lib/unknown-names.ts';

/** A provider whose identity tokens the app takes. */
export interface IssuerEntry {
  /** Compared with the token's `iss` character by character. */
  readonly issuer: string;
  /** The client ids at the provider whose tokens are meant for this app. */
  readonly audiences: readonly string[];
  /** The address of its keys, for a provider without discovery. */
  readonly jwks_uri?: string;
  readonly name?: string;
  /** The providers of the users: an app asks for them to know where to send a user. */
  readonly email_domains?: readonly string[];
  /** Its tokens say `email_verified` as a text, `"true"` or `"false"`; otherwise such a token is refused. */
  readonly email_verified_as_string?: boolean;
}

const issuersMax = 20;
const textsMax = 20;
const textLengthMax = 200;
const addressLengthMax = 500;
/** A character by character comparison needs one spelling, so no address without one is allowed here. */
const issuerForm = /^https?:\/\/[^\s\\?#]+$/;
const addressForm = /^https?:\/\/[^\s\\#]+$/;

const someText = { type: 'string', minLength: 1, maxLength: textLengthMax };
const members = {
  issuer: { type: 'string', maxLength: addressLengthMax, pattern: issuerForm.source },
  audiences: { type: 'array', minItems: 1, maxItems: textsMax, items: someText },
  jwks_uri: { type: 'string', maxLength: addressLengthMax, pattern: addressForm.source },
  name: someText,
  email_domains: { type: 'array', maxItems: textsMax, items: someText },
  email_verified_as_string: { type: 'boolean' },
};

/** The demand on an issuer, after "must be". */
export const issuerDemand = 'an http or https address without query and fragment';

export const issuers: SettingType<readonly IssuerEntry[]> = {
  key: 'auth.issuers',
  description: 'The providers whose identity tokens the app takes.',
  byDefault: [],
  schema: {
    type: 'array',
    maxItems: issuersMax,
    items: { type: 'object', required: ['issuer', 'audiences'], properties: members, additionalProperties: false },
  },
  parse: (input) => {
    if (!Array.isArray(input) || input.length > issuersMax)
      return wrong(`must be an array of at most ${issuersMax} issuers`);
    const errors = input.flatMap((entry, index) => entryErrors(entry, `/${index}`));
    const names = input.map((entry) => (isObject(entry) ? entry.issuer : undefined));
    for (const [index, name] of names.entries())
      if (typeof name === 'string' && names.indexOf(name) < index)
        errors.push(...wrong('the issuer is listed twice', `/${index}/issuer`, 'duplicate').errors);
    return errors.length > 0 ? { errors } : { value: input as readonly IssuerEntry[] };
  },
  widens: (before, after) =>
    after.flatMap((entry) =>
      moreTrust(
        before.find(({ issuer }) => issuer === entry.issuer),
        entry,
      ),
    ),
};

function moreTrust(before: IssuerEntry | undefined, after: IssuerEntry): readonly string[] {
  const { issuer, audiences, jwks_uri } = after;
  if (before === undefined) return [`users of the provider \`${issuer}\` may sign in`];
  const added = audiences.filter((audience) => !before.audiences.includes(audience));
  const keys = jwks_uri === undefined ? 'those that the provider names' : `those at \`${jwks_uri}\``;
  return [
    ...added.map((audience) => `tokens of the provider \`${issuer}\` for \`${audience}\` are taken`),
    ...(jwks_uri === before.jwks_uri
      ? []
      : [`tokens of the provider \`${issuer}\` are verified by other keys: ${keys}`]),
    ...(after.email_verified_as_string === true && before.email_verified_as_string !== true
      ? [`\`email_verified\` of the provider \`${issuer}\` counts as a text too`]
      : []),
  ];
}

function entryErrors(entry: unknown, pointer: string): readonly InputError[] {
  if (!isObject(entry)) return wrong('must be an object with `issuer` and `audiences`', pointer).errors;
  const { issuer, audiences, jwks_uri, name, email_domains, email_verified_as_string: asString } = entry;
  const errors = [...unknownMembers(entry, Object.keys(members), pointer)];
  const check = (holds: boolean, member: string, message: string): void => {
    if (!holds) errors.push(...wrong(message, `${pointer}/${member}`).errors);
  };
  check(isAddress(issuer, issuerForm), 'issuer', `must be ${issuerDemand}`);
  check(isTexts(audiences, 1), 'audiences', `must be an array of 1 to ${textsMax} texts`);
  check(jwks_uri === undefined || isAddress(jwks_uri, addressForm), 'jwks_uri', 'must be an http or https address');
  check(name === undefined || isText(name), 'name', `must be a text of 1 to ${textLengthMax} characters`);
  const isDomain = (domain: unknown): boolean => typeof domain === 'string' && isEmailAddress(`a@${domain}`);
  check(
    email_domains === undefined || (isTexts(email_domains, 0) && email_domains.every(isDomain)),
    'email_domains',
    `must be an array of at most ${textsMax} domains such as \`example.com\``,
  );
  check(
    asString === undefined || typeof asString === 'boolean',
    'email_verified_as_string',
    'must be `true` or `false`',
  );
  return errors;
}

/** Whether a text can be the `iss` of tokens, and the beginning of the address of a discovery document. */
export function isIssuer(value: string): boolean {
  return isAddress(value, issuerForm);
}

function isAddress(value: unknown, form: RegExp): boolean {
  if (typeof value !== 'string' || value.length > addressLengthMax) return false;
  if (!form.test(value) || !URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  return username + password === '';
}

function isTexts(value: unknown, min: number): value is readonly string[] {
  return Array.isArray(value) && value.length >= min && value.length <= textsMax && value.every(isText);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= textLengthMax;
}
