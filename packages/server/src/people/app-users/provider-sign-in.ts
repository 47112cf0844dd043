import { auditCallerOf } from '../../iam/port.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { emailKey } from '../../lib/formats/email-key.ts';
import { Problem } from '../../lib/problem.ts';
import type { Change, Scope } from '../../store/port.ts';
import type { Row } from '../../store/table.ts';
import { transact } from '../../store/transact.ts';
import type { ProviderIdentity } from '../oidc/claims.ts';
import {
  type AppUser,
  appUsers,
  findSignedIn,
  foundByEmail,
  identities,
  type ProviderLink,
  providerLinks,
  verifiedEmails,
} from './app-user.ts';
import type { AppUsersDeps, SignIn } from './password-log-in.ts';
import { withVerifiedEmail } from './prove-email.ts';

type NewUserDeps = Pick<AppUsersDeps, 'clock' | 'newId'>;

/** The org of a sign-in, and its request. */
export interface SignInContext {
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
  deps: NewUserDeps,
  place: SignInContext,
  identity: ProviderIdentity,
): Promise<Omit<SignIn, 'token_epoch'>> {
  const { iss, auth_time = Math.floor(deps.clock.now() / 1000) } = identity;
  const { planned } = await transact(place.orgScope, async (): Promise<PlannedSignIn> => {
    const known = (await identities.read(place.orgScope, [iss, identity.sub]))?.value;
    if (known === undefined) return planArrival(deps, place, identity);
    const proof = await planProof(deps, place, { userId: known, identity });
    return {
      userId: known,
      changes: proof.length > 0 ? proof : await planLink(deps, place, { userId: known, identity }),
    };
  });
  return { user_id: planned.userId, idp: iss, auth_time };
}

/** The changes that prove an account's address, which the provider has verified since; none if it is proved. */
async function planProof(
  { clock }: NewUserDeps,
  { orgScope, requestId }: SignInContext,
  { userId, identity }: { readonly userId: string; readonly identity: ProviderIdentity },
): Promise<readonly Change[]> {
  const { email, email_verified } = identity;
  if (!email_verified || email === undefined) return [];
  const row = await appUsers.read(orgScope, userId);
  if (row === undefined || row.value.email_verified) return [];
  const user = row.value;
  // An account that waits for a proof by mail gets none by a provider.
  if (user.suspended_for !== undefined || user.merged_into !== undefined) return [];
  if (emailKey(user.email) !== emailKey(email)) return [];
  const proof = { orgScope, clock, auditCaller: auditCallerOf(userId, requestId) };
  const { holder, along } = await withVerifiedEmail(proof, user);
  return [appUsers.replace(row, holder), ...along];
}

/** Shows the identity with the account that it signs in to, where an earlier release has not. */
async function planLink(
  { clock }: NewUserDeps,
  { orgScope }: SignInContext,
  { userId, identity: { iss, sub } }: { readonly userId: string; readonly identity: ProviderIdentity },
): Promise<readonly Change[]> {
  const user = await findSignedIn(orgScope, userId);
  if (user === undefined || (await providerLinks.read(orgScope, [user.id, iss, sub])) !== undefined) return [];
  const { id, email_verified } = user;
  return [
    { kind: 'check', ...identities.key([iss, sub]), if: 'present' },
    providerLinks.put([id, iss, sub], linkOf(clock, { iss, sub }), { if: 'any' }),
    ...(email_verified ? [] : [foundByEmail(user, 'any')]),
  ];
}

function linkOf(clock: Clock, { iss, sub }: Pick<ProviderIdentity, 'iss' | 'sub'>): ProviderLink {
  return { issuer: iss, subject: sub, linked_at: timestamp(clock.now()) };
}

interface PlannedSignIn {
  readonly userId: string;
  readonly changes: readonly Change[];
}

async function planArrival(
  deps: NewUserDeps,
  { orgScope, requestId }: SignInContext,
  identity: ProviderIdentity,
): Promise<PlannedSignIn> {
  const { iss, sub, email_verified } = identity;
  const { email, owner } = await readOwner(orgScope, identity);
  const userId = owner?.value ?? deps.newId();
  const link = [
    identities.insert([iss, sub], userId),
    providerLinks.put([userId, iss, sub], linkOf(deps.clock, identity), { if: 'any' }),
  ];
  if (owner !== undefined)
    return { userId, changes: [...link, { kind: 'check', pk: owner.pk, sk: owner.sk, if: 'present' }] };
  const user = newUser(deps, userId, { ...identity, email });
  const proof = { orgScope, clock: deps.clock, auditCaller: auditCallerOf(userId, requestId) };
  const { holder, along } = email_verified ? await withVerifiedEmail(proof, user) : { holder: user, along: [] };
  const found = email_verified ? [] : [foundByEmail(user, 'absent')];
  return { userId, changes: [...link, appUsers.insert(userId, holder), ...found, ...along] };
}

/** The account that an identity joins which comes for the first time. @throws Problem `token_invalid` without an email. */
export async function readOwner(
  orgScope: Scope,
  { email, email_verified }: ProviderIdentity,
): Promise<{ readonly email: string; readonly owner: Row<string> | undefined }> {
  if (email === undefined)
    throw new Problem('token_invalid', 'the identity token has no email: request the scope `email` from the provider');
  return { email, owner: email_verified ? await verifiedEmails.read(orgScope, email) : undefined };
}

function newUser(
  { clock }: NewUserDeps,
  id: string,
  { email, email_verified, fn, ln, picture }: ProviderIdentity & { readonly email: string },
): AppUser {
  const created_at = timestamp(clock.now());
  return { id, email, email_verified, fn, ln, ...(picture === undefined ? {} : { picture }), created_at };
}
