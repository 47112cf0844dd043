import { personAsking } from '../../iam/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { type Change, Conflict, type Key, type Scope } from '../../store/port.ts';
import type { ProviderIdentity } from '../oidc/claims.ts';
import { emailKey } from '../people/email.ts';
import { type AppUser, type AppUsersParts, appUserKey, identityKey, type SignIn } from './app-users.ts';
import { withVerifiedEmail } from './prove-email.ts';
import { verifiedEmailKey } from './verified-email.ts';

type Parts = Pick<AppUsersParts, 'clock' | 'newId'>;

/** Where somebody signs in, and by which request. */
export interface SignInPlace {
  readonly orgScope: Scope;
  readonly requestId?: string | undefined;
}

/**
 * The sign-in of a person whom a provider vouches for; the first one makes the account. An identity is `(iss, sub)`. Two
 * of them are one person only where both providers have verified the same email. The password of an account with that
 * email that never proved that the address is its own is suspended: see `withVerifiedEmail`.
 * @throws Problem `token_invalid` where the token says no email.
 */
export async function signInWithProvider(
  parts: Parts,
  place: SignInPlace,
  identity: ProviderIdentity,
): Promise<Omit<SignIn, 'token_epoch'>> {
  const { iss, auth_time = Math.floor(parts.clock.now() / 1000) } = identity;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const known = await findUserId(place.orgScope, identityKey(iss, identity.sub));
    const { userId, changes } =
      known === undefined
        ? await planArrival(parts, place, identity)
        : { userId: known, changes: await planProof(parts, place, { userId: known, identity }) };
    const signIn = { user_id: userId, idp: iss, auth_time };
    if (changes.length === 0) return signIn;
    try {
      await place.orgScope.commit(changes);
      return signIn;
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

/** What an account comes to whose address the provider has verified since it was made; nothing where it is proved already. */
async function planProof(
  { clock }: Parts,
  { orgScope, requestId }: SignInPlace,
  { userId, identity }: { readonly userId: string; readonly identity: ProviderIdentity },
): Promise<readonly Change[]> {
  const { email, email_verified } = identity;
  if (!email_verified || email === undefined) return [];
  const [item] = await orgScope.get([appUserKey(userId)]);
  const user = item === undefined ? undefined : (JSON.parse(item.value) as AppUser);
  if (item === undefined || user === undefined || user.email_verified) return [];
  // An account that waits for a proof by mail gets none by a provider.
  if (user.suspended_for !== undefined || user.merged_into !== undefined) return [];
  if (emailKey(user.email) !== emailKey(email)) return [];
  const proof = { orgScope, clock, asking: personAsking(userId, requestId) };
  const { holder, along } = await withVerifiedEmail(proof, user);
  return [
    { kind: 'put', ...appUserKey(userId), value: JSON.stringify(holder), if: { version: item.version } },
    ...along,
  ];
}

interface Arrival {
  readonly userId: string;
  readonly changes: readonly Change[];
}

async function planArrival(
  parts: Parts,
  { orgScope, requestId }: SignInPlace,
  identity: ProviderIdentity,
): Promise<Arrival> {
  const { iss, sub, email, email_verified } = identity;
  if (email === undefined)
    throw new Problem('token_invalid', 'the identity token says no email: ask the provider for the scope `email`');
  const verifiedKey = verifiedEmailKey(email);
  const owner = email_verified ? await findUserId(orgScope, verifiedKey) : undefined;
  const userId = owner ?? parts.newId();
  const value = JSON.stringify({ user_id: userId });
  const link: Change = { kind: 'put', ...identityKey(iss, sub), value, if: 'absent' };
  if (owner !== undefined) return { userId, changes: [link, { kind: 'check', ...verifiedKey, if: 'present' }] };
  const user = newUser(parts, userId, { ...identity, email });
  const proof = { orgScope, clock: parts.clock, asking: personAsking(userId, requestId) };
  const { holder, along } = email_verified ? await withVerifiedEmail(proof, user) : { holder: user, along: [] };
  const made: Change = { kind: 'put', ...appUserKey(userId), value: JSON.stringify(holder), if: 'absent' };
  return { userId, changes: [link, made, ...along] };
}

function newUser(
  { clock }: Parts,
  id: string,
  { email, email_verified, fn, ln, picture }: ProviderIdentity & { readonly email: string },
): AppUser {
  const created_at = timestamp(clock.now());
  return { id, email, email_verified, fn, ln, ...(picture === undefined ? {} : { picture }), created_at };
}
