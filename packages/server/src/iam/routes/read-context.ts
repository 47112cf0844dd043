import { isIP } from 'node:net';
import type { accessApi } from '@freehold/contract/management/access';
import type { InputError } from '@freehold/contract/problem';
import type { BodyOf } from '@freehold/contract/route';
import type { SimulatedContext } from '../simulation/simulate.ts';

export interface GivenContext extends SimulatedContext {
  readonly queryParameters?: ReadonlyMap<string, string>;
}

type Members = Readonly<Record<string, unknown>>;
type SentContext = NonNullable<BodyOf<typeof accessApi.simulateAccess>['context']>;

/** What is wrong with the context of a simulation. @param isDraft whether user and workspace are its own to say. */
export function contextMistakes(context: Members, isDraft: boolean): readonly InputError[] {
  const { request, user, tenant } = context;
  const errors: InputError[] = [];
  const add = (pointer: string, code: string, message: string) => errors.push({ pointer, code, message });
  const { ip } = isObject(request) ? request : {};
  if (typeof ip === 'string' && isIP(ip) === 0) add('/context/request/ip', 'wrong_type', '`ip` must be an IP address');
  for (const [name, value] of Object.entries({ user, tenant })) {
    if (isDraft || value === undefined) continue;
    add(
      `/context/${name}`,
      'invalid_value',
      `\`${name}\` comes from the member: it can be sent with \`statements\` only`,
    );
  }
  return errors;
}

/** Reads one in which nothing is wrong. */
export function readContext({ request = {}, jwt, user, tenant }: SentContext): GivenContext {
  const { ip, time, origin, queryParameters, body } = request;
  return {
    ...(ip === undefined ? {} : { ip }),
    ...(origin === undefined ? {} : { origin }),
    ...(time === undefined ? {} : { time: Date.parse(time) }),
    ...(body === undefined ? {} : { body }),
    ...(queryParameters === undefined ? {} : { queryParameters: new Map(Object.entries(queryParameters)) }),
    ...(jwt === undefined ? {} : { jwt }),
    ...(user === undefined ? {} : { user: present(user) }),
    ...(tenant === undefined ? {} : { tenant: present(tenant) }),
  };
}

/** Without members that are undefined. */
function present(input: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(input).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
