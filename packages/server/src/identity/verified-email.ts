import type { Change, Key, Scope } from '../store/port.ts';
import type { AppUser } from './app-users.ts';
import { emailKey } from './email.ts';

/** Which account has proved that the address is its own. */
export function verifiedEmailKey(email: string): Key {
  return { pk: 'verified-email', sk: emailKey(email) };
}

/**
 * The account of a person who has shown to read the mail of its address, and what is to be committed with it. From then
 * on a provider that verifies the same address signs in to this account; unless another one has proved it before.
 */
export async function withVerifiedEmail(
  orgScope: Scope,
  user: AppUser,
): Promise<{ readonly holder: AppUser; readonly along: readonly Change[] }> {
  const key = verifiedEmailKey(user.email);
  const [owner] = await orgScope.get([key]);
  const value = JSON.stringify({ user_id: user.id });
  return {
    holder: { ...user, email_verified: true },
    along: owner === undefined ? [{ kind: 'put', ...key, value, if: 'absent' }] : [],
  };
}
