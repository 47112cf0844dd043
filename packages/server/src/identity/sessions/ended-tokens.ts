import { Problem } from '../../lib/problem.ts';
import type { Change, Key, Scope } from '../../store/port.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import { type AppUser, accountDisabled, appUsers, tokenEpoch } from '../app-users/app-user.ts';
import type { AppTokenClaims } from '../tokens/app-tokens.ts';

/**
 * Holds a verified token to what the org knows of it: the person is there, the epoch is still the token's own, and the
 * token was not signed out.
 * @throws Problem `token_invalid`, `account_disabled`.
 */
export async function requireValidToken(orgScope: Scope, { sub, jti, ep }: AppTokenClaims): Promise<AppUser> {
  const [item, ended] = await orgScope.get([appUsers.key(sub), endedTokenKey(jti)]);
  const known = appUsers.row(orgScope, item)?.value;
  if (known?.disabled !== undefined) throw accountDisabled();
  if (known !== undefined && ended === undefined && tokenEpoch(known) === ep) return known;
  throw new Problem('token_invalid', 'the sign-in behind the token has ended');
}

/** Ends one token, until it would have ended by itself. The check, which always holds, tells other nodes whose it is. */
export function endToken({ jti, sub, exp }: AppTokenClaims): readonly Change[] {
  return [
    { kind: 'put', ...endedTokenKey(jti), value: '{}', if: 'any', due: { at: exp * 1000, queue: 'expire' } },
    { kind: 'check', ...appUsers.key(sub), if: 'any' },
  ];
}

/** All tokens of the person are dead from the commit of this on. */
export function withNextEpoch(user: AppUser, at: string): AppUser {
  return { ...user, token_epoch: tokenEpoch(user) + 1, tokens_revoked_at: at };
}

/** What this process counts the revocations of a person's tokens under, the org first: none has a hyphen. */
export function tokensKeyOf({ env, org, sub }: Pick<AppTokenClaims, 'env' | 'org' | 'sub'>): string {
  return `${orgScopeName(org)}-${env}-${sub}`;
}

function endedTokenKey(jti: string): Key {
  return { pk: 'ended-token', sk: jti };
}
