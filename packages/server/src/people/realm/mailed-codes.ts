import { hash } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { emailKeys } from '../../lib/formats/email-key.ts';
import { secretHash, secretToken } from '../../lib/ids.ts';
import { networkKey } from '../../lib/network/network-key.ts';
import { Problem } from '../../lib/problem.ts';
import { createThrottle, rateLimited } from '../../lib/throttle.ts';
import type { Change, Scope } from '../../store/port.ts';
import { asRead, json, removeAsRead, type Table, table } from '../../store/table.ts';
import { transact } from '../../store/transact.ts';
import type { Account, Renewed } from './realm.ts';

/** The rights of a reader of an address's mail by a code; a code to sign in is shown to its owner and not mailed. */
export type CodePurpose = 'reset-password' | 'verify-email' | 'sign-in';

/** Of the code itself the platform keeps a hash, by which the rest is found. */
interface StoredCode {
  readonly user_id: string;
  readonly mark: string;
  /** The session that a code to sign in was made in. */
  readonly session?: string | undefined;
}

export const codeLifetimeMilliseconds: Readonly<Record<CodePurpose, number>> = {
  'reset-password': 60 * 60 * 1000,
  'verify-email': 24 * 60 * 60 * 1000,
  'sign-in': 15 * 60 * 1000,
};

const codes = table(
  ({ purpose, hash }: { readonly purpose: CodePurpose; readonly hash: string }) => ({
    pk: `mailed-code;${purpose}`,
    sk: hash,
  }),
  json<StoredCode>('mailed code', { user_id: 'string', mark: 'string' }),
);

/** A code of 256 bits to be mailed. Nothing about the account changes, and earlier codes stay good. */
export async function issueCode(
  { scope, clock }: { readonly scope: Scope; readonly clock: Clock },
  purpose: CodePurpose,
  account: Account,
): Promise<string> {
  const { code, change } = newCode(clock, purpose, account);
  await scope.commit([change]);
  return code;
}

interface NewCode {
  readonly code: string;
  readonly codeHash: string;
  readonly change: Change;
}

/** A code to sign in that the session shows its owner, for the commit that has the session name it. */
export function newSignInCode(clock: Clock, account: Account, session: string): NewCode {
  return newCode(clock, 'sign-in', account, session);
}

/** Ends a code to sign in that may be spent already. */
export function signInCodeEnd(codeHash: string): Change {
  return codes.remove({ purpose: 'sign-in', hash: codeHash }, 'any');
}

function newCode(clock: Clock, purpose: CodePurpose, account: Account, session?: string): NewCode {
  const code = secretToken();
  const codeHash = secretHash(code);
  const stored: StoredCode = { user_id: account.id, mark: markOf(purpose, account), session };
  const due = { at: clock.now() + codeLifetimeMilliseconds[purpose], queue: 'expire' } as const;
  return { code, codeHash, change: codes.insert({ purpose, hash: codeHash }, stored, due) };
}

export interface CodeUse<A extends Account> {
  readonly purpose: CodePurpose;
  readonly code: string;
  /** The accounts that it may be for. */
  readonly accounts: Table<string, A>;
}

/** The owner of the code. @throws Problem `not_found` for a code that is no longer valid. */
export async function requireCode<A extends Account>(scope: Scope, use: CodeUse<A>): Promise<A> {
  return (await findHolder(scope, use)).account.value;
}

/**
 * Writes what `change` makes of the account in the commit that ends the code, so that a code is good once. An account that
 * stays as it is has to be as it was read, and does not get in the way of others who change it.
 * @throws Problem `not_found` for a code that is good no more.
 */
export async function spendCode<A extends Account, R extends Renewed<A>>(
  scope: Scope,
  use: CodeUse<A>,
  change: (account: A, session: string | undefined) => Promise<R>,
): Promise<R> {
  const { planned } = await transact(scope, async () => {
    const { code, account } = await findHolder(scope, use);
    const renewed = await change(account.value, code.value.session);
    const { holder, along } = renewed;
    const { pk, sk } = account;
    const written: Change =
      holder === account.value ? { kind: 'check', pk, sk, if: asRead(account) } : use.accounts.replace(account, holder);
    return { renewed, changes: [removeAsRead(code), written, ...along] };
  });
  return planned.renewed;
}

async function findHolder<A extends Account>(scope: Scope, use: CodeUse<A>) {
  const code = await codes.read(scope, { purpose: use.purpose, hash: secretHash(use.code) });
  if (code === undefined) throw goodNoMore();
  const account = await use.accounts.read(scope, code.value.user_id);
  if (account === undefined || markOf(use.purpose, account.value) !== code.value.mark) throw goodNoMore();
  return { code, account };
}

/**
 * The state that must be as it was when the code was sent: the address that it went to, whether the password is
 * suspended, and where the code stands in for the password, that very password.
 */
function markOf(purpose: CodePurpose, { email, password_hash, suspended_for }: Account): string {
  const password = purpose === 'verify-email' ? undefined : password_hash;
  const suspended = suspended_for === undefined ? [] : [suspended_for];
  return hash('sha256', JSON.stringify([emailKeys(email)[0], password ?? null, ...suspended]), 'base64url');
}

/** The same for a code that never was, and for a spent, expired or superseded code. */
export function goodNoMore(): Problem {
  return new Problem('not_found', 'the code is no longer valid: request another mail');
}

/** A request for a mail: the address that it would go to, known or not, and the caller's address. */
export interface MailRequest {
  readonly purpose: CodePurpose | 'invitation' | 'test';
  /** The canonical address (`emailKey`), of one app where it is an app's. */
  readonly emailKey: string;
  /** Left out where who asks is known and has bounds of his own. */
  readonly ip?: string;
}

/**
 * Keeps a caller from having many mails sent: 3 to one address and 20 asked for from one network in 15 minutes, for
 * each purpose. It looks at nothing but the request, so that it tells nothing of an account.
 */
export interface MailThrottle {
  /** Counts a request. @throws Problem `rate_limited` with `retry_after_seconds`. */
  take(request: MailRequest): void;
  /** The same for a mail that the caller did not request by itself; false if it must not be sent. */
  tryTake(request: MailRequest): boolean;
}

const limits = { address: 3, network: 20 };

export function createMailThrottle({ clock }: { readonly clock: Clock }): MailThrottle {
  const requests = createThrottle({ clock, limits });
  /** For how many milliseconds the request has to wait; it counts where that is not at all. */
  const waitOf = ({ purpose, emailKey, ip }: MailRequest): number => {
    const network = ip === undefined ? {} : { network: `${purpose} ${networkKey(ip)}` };
    const keys = { address: `${purpose} ${emailKey}`, ...network };
    const wait = requests.wait(keys);
    if (wait === 0) requests.record(keys);
    return wait;
  };
  return {
    take: (request) => {
      const wait = waitOf(request);
      if (wait > 0) throw rateLimited('too many mails were requested', wait);
    },
    tryTake: (request) => waitOf(request) === 0,
  };
}
