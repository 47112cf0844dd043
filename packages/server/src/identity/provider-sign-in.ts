import { timestamp } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import { type Change, Conflict, type Key, type Scope } from '../store/port.ts';
import { type AppUser, type AppUsersParts, appUserKey, identityKey, passwordIdp, type SignIn } from './app-users.ts';
import { emailKey } from './email.ts';
import { withNextEpoch } from './ended-tokens.ts';
import type { ProviderIdentity } from './oidc/claims.ts';
import { verifiedEmailKey } from './verified-email.ts';

type Parts = Pick<AppUsersParts, 'clock' | 'newId'>;

/**
 * The sign-in of a person whom a provider vouches for; the first one makes the account. An identity is `(iss, sub)`. Two
 * of them are one person only where both providers have verified the same email; an account with that email that only
 * knows its password, and never proved that the address is its own, loses the password and its tokens.
 * @throws Problem `token_invalid` where the token says no email.
 */
export async function signInWithProvider(
  parts: Parts,
  orgScope: Scope,
  identity: ProviderIdentity,
): Promise<Omit<SignIn, 'token_epoch'>> {
  const { iss, auth_time = Math.floor(parts.clock.now() / 1000) } = identity;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const known = await findUserId(orgScope, identityKey(iss, identity.sub));
    if (known !== undefined) return { user_id: known, idp: iss, auth_time };
    const { userId, changes } = await planArrival(parts, orgScope, identity);
    try {
      await orgScope.commit(changes);
      return { user_id: userId, idp: iss, auth_time };
    } catch (error) {
      // Another sign-in made a part of this: what it made is found now.
      if (!(error instanceof Conflict)) throw error;
    }
  }
  throw new Problem('conflict', 'others keep signing in as this person: try again');
}

const attemptsMax = 16;

async function findUserId(orgScope: Scope, key: Key): Promise<string | undefined> {
  const [item] = await orgScope.get([key]);
  return item === undefined ? undefined : (JSON.parse(item.value) as { readonly user_id: string }).user_id;
}

interface Arrival {
  readonly userId: string;
  readonly changes: readonly Change[];
}

async function planArrival(parts: Parts, orgScope: Scope, identity: ProviderIdentity): Promise<Arrival> {
  const { iss, sub, email, email_verified } = identity;
  if (email === undefined)
    throw new Problem('token_invalid', 'the identity token says no email: ask the provider for the scope `email`');
  const own = identityKey(iss, sub);
  const verifiedKey = verifiedEmailKey(email);
  const owner = email_verified ? await findUserId(orgScope, verifiedKey) : undefined;
  const userId = owner ?? parts.newId();
  const value = JSON.stringify({ user_id: userId });
  const link: Change = { kind: 'put', ...own, value, if: 'absent' };
  if (owner !== undefined) return { userId, changes: [link, { kind: 'check', ...verifiedKey, if: 'present' }] };
  const user = newUser(parts, userId, { ...identity, email });
  const made: Change = { kind: 'put', ...appUserKey(userId), value: JSON.stringify(user), if: 'absent' };
  if (!email_verified) return { userId, changes: [link, made] };
  const proof: Change = { kind: 'put', ...verifiedKey, value, if: 'absent' };
  return { userId, changes: [link, made, proof, ...(await evictPassword(orgScope, email))] };
}

function newUser(
  { clock }: Parts,
  id: string,
  { email, email_verified, fn, ln, picture }: ProviderIdentity & { readonly email: string },
): AppUser {
  const created_at = timestamp(clock.now());
  return { id, email, email_verified, fn, ln, ...(picture === undefined ? {} : { picture }), created_at };
}

/** Somebody who only said that the address is his, perhaps to lie in wait for its owner, cannot sign in with it any more. */
async function evictPassword(orgScope: Scope, email: string): Promise<readonly Change[]> {
  const key = identityKey(passwordIdp, emailKey(email));
  const [identity] = await orgScope.get([key]);
  if (identity === undefined) return [{ kind: 'check', ...key, if: 'absent' }];
  const { user_id } = JSON.parse(identity.value) as { readonly user_id: string };
  const [item] = await orgScope.get([appUserKey(user_id)]);
  const evicted: Change = { kind: 'remove', ...key, if: { version: identity.version } };
  if (item === undefined) return [evicted];
  const { password_hash: _, ...user } = JSON.parse(item.value) as AppUser;
  const ended = withNextEpoch(user);
  return [
    evicted,
    { kind: 'put', ...appUserKey(user_id), value: JSON.stringify(ended), if: { version: item.version } },
  ];
}
