import { type Clock, timestamp } from '../../lib/clock.ts';
import { secretHash, secretToken } from '../../lib/ids.ts';
import type { Scope } from '../../store/port.ts';
import { json, removeAsRead, table } from '../../store/table.ts';
import { tryCommit } from '../../store/transact.ts';
import { type AppUser, passwordIdp, tokenEpoch } from '../app-users/app-user.ts';

/** What a login token stands for until it is spent. */
export interface SignIn {
  readonly user_id: string;
  readonly idp: string;
  /** Seconds since the epoch. */
  readonly auth_time: number;
  /** The person's token epoch then. Absent where a provider vouches for the person at this moment. */
  readonly token_epoch?: number;
}

export interface IssuedLoginToken {
  readonly token: string;
  readonly expires_at: string;
}

const lifetimeMilliseconds = 5 * 60 * 1000;

const loginTokens = table(
  (token: string) => ({ pk: 'login-token', sk: secretHash(token) }),
  json<SignIn>('login token', { user_id: 'string', idp: 'string' }),
);

/** Of a user whose password the platform has just checked. */
export async function issueLoginToken(clock: Clock, orgScope: Scope, user: AppUser): Promise<IssuedLoginToken> {
  const token = createLoginToken();
  const at = clock.now() + lifetimeMilliseconds;
  const auth_time = Math.floor(clock.now() / 1000);
  const signIn: SignIn = { user_id: user.id, idp: passwordIdp, auth_time, token_epoch: tokenEpoch(user) };
  await orgScope.commit([loginTokens.insert(token, signIn, { at, queue: 'expire' })]);
  return { token, expires_at: timestamp(at) };
}

/** Takes what a login token stands for, once: of any number of takers one gets it. */
export async function spendLoginToken(orgScope: Scope, token: string): Promise<SignIn | undefined> {
  const row = await loginTokens.read(orgScope, token);
  if (row === undefined) return undefined;
  return (await tryCommit(orgScope, [removeAsRead(row)])) ? row.value : undefined;
}

/**
 * The token that a password sign-in gives and an exchange takes once. It is opaque and not a JWT: what it stands for
 * lies in the store under its hash, so that it can be spent exactly once and a copy of the store spends none.
 */
export function createLoginToken(): string {
  return `pl_${secretToken()}`;
}

/** Tells a login token from a provider's token by its form alone; says nothing about whether it holds. */
export function isLoginToken(text: string): boolean {
  return loginTokenForm.test(text);
}

const loginTokenForm = /^pl_[\w-]{43}$/;
