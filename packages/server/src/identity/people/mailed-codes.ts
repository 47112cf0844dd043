import { hash } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { secretToken } from '../../lib/ids.ts';
import { Problem } from '../../lib/problem.ts';
import type { Change, Item, Key, Scope } from '../../store/port.ts';
import { commitPlanned } from '../workspaces/commits.ts';
import { emailKey } from './email.ts';

/** What somebody who reads the mail of an address may do by a code. */
export type CodePurpose = 'reset-password' | 'verify-email';

/** The account of a person, of an app or a builder, as far as a code stands for it. */
export interface CodeHolder {
  readonly id: string;
  readonly email: string;
  readonly password_hash?: string;
  /** Set while the password is suspended: what a code is good for is another thing then. */
  readonly suspended_for?: string;
}

/** Of the code itself the platform keeps a hash, by which the rest is found. */
interface StoredCode {
  readonly user_id: string;
  readonly mark: string;
}

const lifetimeMilliseconds: Readonly<Record<CodePurpose, number>> = {
  'reset-password': 60 * 60 * 1000,
  'verify-email': 24 * 60 * 60 * 1000,
};

/** A code of 256 bits to be mailed. Nothing about the account changes, and earlier codes stay good. */
export async function issueCode(
  { scope, clock }: { readonly scope: Scope; readonly clock: Clock },
  purpose: CodePurpose,
  holder: CodeHolder,
): Promise<string> {
  const code = secretToken();
  const stored: StoredCode = { user_id: holder.id, mark: markOf(purpose, holder) };
  const due = { at: clock.now() + lifetimeMilliseconds[purpose], queue: 'expire' } as const;
  const value = JSON.stringify(stored);
  await scope.commit([{ kind: 'put', ...codeKey(purpose, code), value, if: 'absent', due }]);
  return code;
}

export interface CodeUse {
  readonly purpose: CodePurpose;
  readonly code: string;
  /** Where the account of a person lies. */
  readonly keyOf: (userId: string) => Key;
}

/** Whose code it is. @throws Problem `not_found` for one that is good no more. */
export async function requireCode(scope: Scope, use: CodeUse): Promise<CodeHolder> {
  const { account } = await findHolder(scope, use);
  return JSON.parse(account.value) as CodeHolder;
}

/**
 * Writes what `change` makes of the account in the commit that ends the code, so that a code is good once.
 * @throws Problem `not_found` for a code that is good no more.
 */
export async function spendCode<Holder extends CodeHolder>(
  scope: Scope,
  use: CodeUse,
  change: (holder: Holder) => Promise<{ readonly holder: Holder; readonly along: readonly Change[] }>,
): Promise<Holder> {
  let changed: Holder | undefined;
  await commitPlanned(scope, async () => {
    const { code, account } = await findHolder(scope, use);
    const { holder, along } = await change(JSON.parse(account.value) as Holder);
    changed = holder;
    return [
      { kind: 'remove', pk: code.pk, sk: code.sk, if: { version: code.version } },
      {
        kind: 'put',
        pk: account.pk,
        sk: account.sk,
        value: JSON.stringify(holder),
        if: { version: account.version },
      },
      ...along,
    ];
  });
  if (changed === undefined) throw new TypeError('a commit was planned');
  return changed;
}

async function findHolder(scope: Scope, use: CodeUse): Promise<{ readonly code: Item; readonly account: Item }> {
  const [code] = await scope.get([codeKey(use.purpose, use.code)]);
  if (code === undefined) throw goodNoMore();
  const { user_id, mark } = JSON.parse(code.value) as StoredCode;
  const [account] = await scope.get([use.keyOf(user_id)]);
  if (account === undefined || markOf(use.purpose, JSON.parse(account.value) as CodeHolder) !== mark)
    throw goodNoMore();
  return { code, account };
}

/**
 * What has to be still as it was when the code was sent: the address that it went to, whether the password is suspended, and
 * where the code stands in for the password, that very password.
 */
function markOf(purpose: CodePurpose, { email, password_hash, suspended_for }: CodeHolder): string {
  const password = purpose === 'reset-password' ? password_hash : undefined;
  const suspended = suspended_for === undefined ? [] : [suspended_for];
  return hash('sha256', JSON.stringify([emailKey(email), password ?? null, ...suspended]), 'base64url');
}

function codeKey(purpose: CodePurpose, code: string): Key {
  return { pk: `mailed-code;${purpose}`, sk: hash('sha256', code, 'base64url') };
}

/** The same for a code that never was, one that is spent or too old, and one that something else has overtaken. */
function goodNoMore(): Problem {
  return new Problem('not_found', 'the code is not good any more: ask for another mail');
}
