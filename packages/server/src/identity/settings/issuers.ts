import type { InputError } from '@freehold/contract/problem';
import type { SettingType } from '../../entities/setting.ts';
import { isEmailAddress } from '../../lib/email-address.ts';
import { isObject, unknownMembers, wrong } from './setting-errors.ts';

/** A provider whose identity tokens the app takes. */
export interface IssuerEntry {
  /** Compared with the token's `iss` character by character. */
  readonly issuer: string;
  /** The client ids at the provider whose tokens are meant for this app. */
  readonly audiences: readonly string[];
  /** Where its keys are, for a provider without discovery. */
  readonly jwks_uri?: string;
  readonly name?: string;
  /** Whose users sign in here: what an app asks to know where to send somebody. */
  readonly email_domains?: readonly string[];
}

export const issuers: SettingType<readonly IssuerEntry[]> = {
  key: 'auth.issuers',
  byDefault: [],
  parse: (input) => {
    if (!Array.isArray(input) || input.length > issuersMax)
      return wrong(`must be an array of at most ${issuersMax} issuers`);
    const errors = input.flatMap((entry, index) => entryErrors(entry, `/${index}`));
    const names = input.map((entry) => (isObject(entry) ? entry.issuer : undefined));
    for (const [index, name] of names.entries())
      if (typeof name === 'string' && names.indexOf(name) < index)
        errors.push(...wrong('the issuer stands here twice', `/${index}/issuer`, 'duplicate').errors);
    return errors.length > 0 ? { errors } : { value: input as readonly IssuerEntry[] };
  },
};

const issuersMax = 20;
const members = ['issuer', 'audiences', 'jwks_uri', 'name', 'email_domains'];

function entryErrors(entry: unknown, pointer: string): readonly InputError[] {
  if (!isObject(entry)) return wrong('must be an object with `issuer` and `audiences`', pointer).errors;
  const { issuer, audiences, jwks_uri, name, email_domains } = entry;
  const errors = [...unknownMembers(entry, members, pointer)];
  const check = (holds: boolean, member: string, message: string): void => {
    if (!holds) errors.push(...wrong(message, `${pointer}/${member}`).errors);
  };
  check(isHttpUrl(issuer), 'issuer', 'must be an http or https address without query and fragment');
  check(isTexts(audiences, 1), 'audiences', 'must be an array of 1 to 20 texts');
  check(jwks_uri === undefined || isHttpUrl(jwks_uri), 'jwks_uri', 'must be an http or https address');
  check(name === undefined || isText(name), 'name', 'must be a text of 1 to 200 characters');
  const isDomain = (domain: unknown): boolean => typeof domain === 'string' && isEmailAddress(`a@${domain}`);
  check(
    email_domains === undefined || (isTexts(email_domains, 0) && email_domains.every(isDomain)),
    'email_domains',
    'must be an array of at most 20 domains such as `example.com`',
  );
  return errors;
}

function isHttpUrl(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 500 || !URL.canParse(value)) return false;
  const { protocol, username, password, search, hash } = new URL(value);
  return (protocol === 'https:' || protocol === 'http:') && username + password + search + hash === '';
}

function isTexts(value: unknown, min: number): value is readonly string[] {
  return Array.isArray(value) && value.length >= min && value.length <= 20 && value.every(isText);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= 200;
}
