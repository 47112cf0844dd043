import { authenticatorCode } from '../authenticator.ts';
import { bearer, type FixtureOrg, type Gateways, must, type Person, password } from './calls.ts';

/** Accounts that are disabled, erased, exported or protected by a second factor. */
export interface FilledAccounts {
  readonly disabled: Person;
  /** The session of a builder with an authenticator app. */
  readonly guarded: string;
}

export async function fillAccounts(
  { management }: Gateways,
  org: FixtureOrg,
  now: () => number,
): Promise<FilledAccounts> {
  const disabled = await org.signIn('ivy@example.com');
  const [erased, exported] = [await org.signIn('joe@example.com'), await org.signIn('kim@example.com')];
  const act = (expected: string, { id }: Person, verb: string, body: object = {}) =>
    org.manage(expected, `/org/app-users/${id}/${verb}`, { body: { env: 'test', ...body } });
  await act('204 POST', disabled, 'disable', { reason: 'asked for by the customer' });
  await act('202 POST', exported, 'export');
  await act('202 POST', erased, 'erase', { records: 'keep', confirm: 'joe@example.com' });
  return { disabled, guarded: await protectBuilder(management, org, now) };
}

async function protectBuilder(management: string, org: FixtureOrg, now: () => number): Promise<string> {
  const { code } = await org.manage('201 POST', '/org/users', {
    body: { email: 'cyd@shop.example', role: 'developer' },
  });
  const { token } = await must('200 POST', `${management}/auth/accept-invitation`, {
    body: { code, password, name: 'Cyd' },
  });
  const factors = `${management}/auth/second-factors/totp`;
  const { secret } = await must('201 POST', factors, { headers: bearer(token), body: { password } });
  await must('200 POST', `${factors}/confirm`, {
    headers: bearer(token),
    body: { code: authenticatorCode(secret, now()) },
  });
  return token;
}
