import { isIP } from 'node:net';
import type { InputError } from '@freehold/contract/problem';
import type { SimulatedContext } from '../../../iam/port.ts';
import {
  anObject,
  aText,
  checkMembers,
  isObject,
  type MemberRule,
  type Members,
} from '../../pipeline/check-members.ts';

export interface GivenContext extends SimulatedContext {
  readonly queryParameters?: ReadonlyMap<string, string>;
}

const requestRules: Readonly<Record<string, MemberRule>> = {
  ip: { isRight: (value) => typeof value === 'string' && isIP(value) !== 0, demand: 'must be an IP address' },
  time: {
    isRight: (value) => typeof value === 'string' && millisecondsOf(value) !== undefined,
    demand: 'must be a time in UTC such as `2026-03-31T12:00:00Z`',
  },
  origin: aText,
  queryParameters: { isRight: isObjectOfTexts, demand: 'must be an object of strings' },
  body: anObject,
};

const rulesBelow = {
  request: requestRules,
  user: { id: aText, email: aText },
  tenant: { id: aText, code: aText },
} as const;

/** What is wrong with the context of a simulation. @param isDraft whether user and workspace are its own to say. */
export function contextMistakes(input: Members, isDraft: boolean): readonly InputError[] {
  const errors = [
    ...checkMembers(input, { request: anObject, jwt: anObject, user: anObject, tenant: anObject }, '/context'),
  ];
  for (const [name, rules] of Object.entries(rulesBelow)) {
    const value = input[name];
    if (value === undefined) continue;
    const pointer = `/context/${name}`;
    if (isObject(value)) errors.push(...checkMembers(value, rules, pointer));
    if (!isDraft && name !== 'request') {
      const message = `\`${name}\` is that of the member: it is given for \`statements\` alone`;
      errors.push({ pointer, code: 'invalid_value', message });
    }
  }
  return errors;
}

/** Reads one in which nothing is wrong. */
export function readContext({ request, jwt, user, tenant }: Members): GivenContext {
  const { ip, time, origin, queryParameters, body } = isObject(request) ? request : {};
  return {
    ...(ip === undefined ? {} : { ip: String(ip) }),
    ...(origin === undefined ? {} : { origin: String(origin) }),
    ...(typeof time === 'string' ? { time: millisecondsOf(time) ?? 0 } : {}),
    ...(body === undefined ? {} : { body }),
    ...(isObject(queryParameters) ? { queryParameters: new Map(Object.entries(textMembers(queryParameters))) } : {}),
    ...(isObject(jwt) ? { jwt } : {}),
    ...(isObject(user) ? { user: textMembers(user) } : {}),
    ...(isObject(tenant) ? { tenant: textMembers(tenant) } : {}),
  };
}

function textMembers(input: Members): Readonly<Record<string, string>> {
  const entries = Object.entries(input).map(([name, value]) => [name, String(value)]);
  return Object.fromEntries(entries);
}

function isObjectOfTexts(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((one) => typeof one === 'string');
}

function millisecondsOf(text: string): number | undefined {
  const milliseconds = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}
