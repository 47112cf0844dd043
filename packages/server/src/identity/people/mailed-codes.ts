import { hash } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { secretHash, secretToken } from '../../lib/ids.ts';
import { Problem } from '../../lib/problem.ts';
import type { Scope } from '../../store/port.ts';
import { json, removeAsRead, type Table, table } from '../../store/table.ts';
import { transact } from '../../store/transact.ts';
import { emailKey } from './email.ts';
import type { Account, Renewed } from './realm.ts';

/** What a reader of the mail of an address may do by a code; one to sign in is shown to its owner and not mailed. */
export type CodePurpose = 'reset-password' | 'verify-email' | 'sign-in';

/** Of the code itself the platform keeps a hash, by which the rest is found. */
interface StoredCode {
  readonly user_id: string;
  readonly mark: string;
}

export const codeLifetimeMilliseconds: Readonly<Record<CodePurpose, number>> = {
  'reset-password': 60 * 60 * 1000,
  'verify-email': 24 * 60 * 60 * 1000,
  'sign-in': 15 * 60 * 1000,
};

const codes = table(
  ({ purpose, code }: Pick<CodeUse<Account>, 'purpose' | 'code'>) => ({
    pk: `mailed-code;${purpose}`,
    sk: secretHash(code),
  }),
  json<StoredCode>('mailed code', { user_id: 'string', mark: 'string' }),
);

/** A code of 256 bits to be mailed. Nothing about the account changes, and earlier codes stay good. */
export async function issueCode(
  { scope, clock }: { readonly scope: Scope; readonly clock: Clock },
  purpose: CodePurpose,
  account: Account,
): Promise<string> {
  const code = secretToken();
  const stored: StoredCode = { user_id: account.id, mark: markOf(purpose, account) };
  const due = { at: clock.now() + codeLifetimeMilliseconds[purpose], queue: 'expire' } as const;
  await scope.commit([codes.insert({ purpose, code }, stored, due)]);
  return code;
}

export interface CodeUse<A extends Account> {
  readonly purpose: CodePurpose;
  readonly code: string;
  /** Where the accounts lie that it may be for. */
  readonly accounts: Table<string, A>;
}

/** The owner of the code. @throws Problem `not_found` for a code that is no longer valid. */
export async function requireCode<A extends Account>(scope: Scope, use: CodeUse<A>): Promise<A> {
  return (await findHolder(scope, use)).account.value;
}

/**
 * Writes what `change` makes of the account in the commit that ends the code, so that a code is good once.
 * @throws Problem `not_found` for a code that is good no more.
 */
export async function spendCode<A extends Account, R extends Renewed<A>>(
  scope: Scope,
  use: CodeUse<A>,
  change: (account: A) => Promise<R>,
): Promise<R> {
  const { planned } = await transact(scope, async () => {
    const { code, account } = await findHolder(scope, use);
    const renewed = await change(account.value);
    const { holder, along } = renewed;
    return { renewed, changes: [removeAsRead(code), use.accounts.replace(account, holder), ...along] };
  });
  return planned.renewed;
}

async function findHolder<A extends Account>(scope: Scope, use: CodeUse<A>) {
  const code = await codes.read(scope, use);
  if (code === undefined) throw goodNoMore();
  const account = await use.accounts.read(scope, code.value.user_id);
  if (account === undefined || markOf(use.purpose, account.value) !== code.value.mark) throw goodNoMore();
  return { code, account };
}

/**
 * What has to be still as it was when the code was sent: the address that it went to, whether the password is suspended, and
 * where the code stands in for the password, that very password.
 */
function markOf(purpose: CodePurpose, { email, password_hash, suspended_for }: Account): string {
  const password = purpose === 'verify-email' ? undefined : password_hash;
  const suspended = suspended_for === undefined ? [] : [suspended_for];
  return hash('sha256', JSON.stringify([emailKey(email), password ?? null, ...suspended]), 'base64url');
}

/** The same for a code that never was, and for a spent, expired or superseded code. */
function goodNoMore(): Problem {
  return new Problem('not_found', 'the code is no longer valid: request another mail');
}
