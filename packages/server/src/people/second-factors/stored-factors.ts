import { securityNoticeMail } from '../../mail/mail-texts.ts';
import type { Mailer } from '../../mail/mailer.ts';
import type { Change, Scope } from '../../store/port.ts';
import { asRead, json, type Row, removeAsRead, table } from '../../store/table.ts';

/** The second factors of a builder: one row for each person, so that every change of them is compared and swapped. */
export interface StoredFactors {
  readonly totp?: StoredTotp | undefined;
  /** Made, and not yet confirmed by a code: it protects nothing. */
  readonly pending_totp?: PendingTotp | undefined;
  readonly passkeys: readonly StoredPasskey[];
  /** Hashes of the codes that are not used. */
  readonly recovery_codes: readonly string[];
  /** Wrong codes since a factor was proved, and when the last of them came. */
  readonly failures?: { readonly count: number; readonly since: string } | undefined;
}

export interface StoredTotp {
  /** Sealed, as encrypted fields are, and bound to its person. */
  readonly sealed: string;
  readonly confirmed_at: string;
  readonly last_used_at?: string | undefined;
  readonly last_step: number;
}

export interface PendingTotp {
  readonly sealed: string;
  readonly expires_at: string;
}

export interface StoredPasskey {
  /** Of the credential, as its authenticator chose it. */
  readonly id: string;
  readonly name: string;
  /** COSE, in base64url. */
  readonly public_key: string;
  /** The number of signatures that the authenticator reported last; 0 where it counts none. */
  readonly counter: number;
  readonly transports?: readonly string[] | undefined;
  readonly is_backed_up: boolean;
  readonly created_at: string;
  readonly last_used_at?: string | undefined;
}

export const noFactors: StoredFactors = { passkeys: [], recovery_codes: [] };

/** By the id of the org user. */
export const storedFactors = table(
  (userId: string) => ({ pk: 'factors', sk: userId }),
  json<StoredFactors>('row of second factors', { passkeys: 'object', recovery_codes: 'object' }),
);

/** Whether a sign-in needs more than the password. Recovery codes alone are no factor. */
export function isProtected(factors: StoredFactors | undefined): boolean {
  return factors !== undefined && (factors.totp !== undefined || factors.passkeys.length > 0);
}

/** Writes what the factors are now; with the last factor the recovery codes end, and a row without anything goes. */
export function factorChange(
  userId: string,
  row: Row<StoredFactors> | undefined,
  factors: StoredFactors,
): readonly Change[] {
  if (isProtected(factors) || factors.pending_totp !== undefined) {
    const kept = isProtected(factors) ? factors : { ...factors, recovery_codes: [], failures: undefined };
    return [storedFactors.put(userId, kept, { if: asRead(row) })];
  }
  return row === undefined ? [] : [removeAsRead(row)];
}

export async function readFactors(platform: Scope, userId: string): Promise<StoredFactors | undefined> {
  return (await storedFactors.read(platform, userId))?.value;
}

/** Tells the owner of an account, where mail is set up, what was done about its second factors. */
export function notify(mailer: Mailer | undefined, to: string, sentence: string): void {
  mailer?.send(securityNoticeMail({ to, sentence }));
}

export function recoveryCodeUsed(left: number): string {
  return `a recovery code of your account was used. ${left} are left.`;
}
