import type { Clock } from '../../lib/clock.ts';
import { emailKey, emailKeys } from '../../lib/formats/email-key.ts';
import { networkKey } from '../../lib/network/network-key.ts';
import { Problem } from '../../lib/problem.ts';
import { createThrottle, rateLimited, type ThrottleKeys } from '../../lib/throttle.ts';
import type { Mail } from '../../mail/mailer.ts';
import type { Change, Put, Scope } from '../../store/port.ts';
import { asRead, type Codec, json, type Row, type Table } from '../../store/table.ts';
import type { PasswordHasher } from './passwords.ts';

/**
 * People of one kind, with their accounts in one scope: the builders of the platform, or the users of an app in one
 * environment. The work on their passwords is the same for both, and is in this folder; the differences are here.
 * here.
 */
export interface Realm<A extends Account> {
  readonly scope: Scope;
  /** By id. */
  readonly accounts: Table<string, A>;
  /** By email address, the id of the account whose password belongs to it. */
  readonly addresses: AddressTable<string>;
  /** An address in one realm has nothing to do with the same address in another, so neither have its failures. */
  attemptOf(email: string, ip: string): SignInAttempt;
}

/** A realm with its rules for new passwords. */
export interface PasswordRealm<A extends Account> extends Realm<A> {
  /** Of new passwords, in characters. */
  readonly passwordLengthMin: number;
  /** @throws Problem where the realm takes no passwords. */
  requirePasswords(): void;
  /** The error where an account has no password to change. */
  readonly noPassword: () => Problem;
  /** The message where the password was changed meanwhile; where that is all, any other change is waited out. */
  readonly overtaken: { readonly message: string; readonly isFinal: boolean };
  /** Writes the mail with a code for a new password. @throws Problem where there is no page for it to lead to. */
  resetMail(): (account: A, code: string) => Mail;
  /** The further effects of a password that its holder has changed, or that a mailed code has set: all that it ends. */
  changed(account: A): Promise<Renewed<A>>;
  reset(account: A): Promise<Renewed<A>>;
  /** Has this process check the account's sessions again, however the work ends. */
  revoking(id: string, work: () => Promise<A>): Promise<A>;
}

/** An account as it is from a commit on, and what is to be committed with it. */
export interface Renewed<A extends Account> {
  readonly holder: A;
  readonly along: readonly Change[];
}

export interface Account {
  readonly id: string;
  readonly email: string;
  /** Absent where another than the platform vouches for the person, and while the password is suspended. */
  readonly password_hash?: string;
  /** Set while the password is suspended: what a mailed code is good for is another thing then. */
  readonly suspended_for?: string;
}

export function personGone(): Problem {
  return new Problem('token_invalid', 'the user of the token no longer exists');
}

/** The data that are stored of an account, with what every one has. */
export function accountRows<A extends Account>(kind: string): Codec<A> {
  return json<Account>(kind, { id: 'string', email: 'string' }) as Codec<A>;
}

/** A row that holds an id alone, under the name of this member. */
export function idRows(kind: string, member: 'id' | 'user_id'): Codec<string> {
  const row = json<Readonly<Record<string, unknown>>>(kind, {});
  return {
    kind,
    parse: (text) => {
      const id = row.parse(text)[member];
      if (typeof id !== 'string') throw new Error(`has no string \`${member}\``);
      return id;
    },
    format: (id) => JSON.stringify({ [member]: id }),
  };
}

/** Reads as much for an unknown address as for a known one. */
export async function findByAddress<A extends Account>(
  { scope, accounts, addresses }: Pick<Realm<A>, 'scope' | 'accounts' | 'addresses'>,
  email: string,
): Promise<A | undefined> {
  const address = await addresses.read(scope, email);
  return (await accounts.read(scope, address?.value ?? 'absent'))?.value;
}

export interface LogInAttempt<A extends Account, Admitted> {
  readonly email: string;
  readonly password: string;
  readonly ip: string;
  /** Makes an account where there is none; absent where a log-in makes none. Undefined where it is not let in. */
  readonly join?: ((attempt: SignInAttempt) => Promise<A | undefined>) | undefined;
  /** The result for an account that has proved itself; undefined where it is not let in all the same. */
  readonly admit: (account: A) => Promise<Admitted | undefined>;
  readonly refusal: string;
}

interface LogInDeps {
  readonly hasher: PasswordHasher;
  readonly loginThrottle: LoginThrottle;
}

/**
 * Lets in who knows the password of an address. A refusal takes the same work and says the same for every address.
 * @throws Problem `credentials_invalid`, `rate_limited`.
 */
export async function logInTo<A extends Account, Admitted>(
  { hasher, loginThrottle }: LogInDeps,
  realm: Realm<A>,
  { email, password, ip, join, admit, refusal }: LogInAttempt<A, Admitted>,
): Promise<Admitted> {
  const attempt = realm.attemptOf(email, ip);
  loginThrottle.check(attempt);
  const known = await findByAddress(realm, email);
  const proved =
    known === undefined && join !== undefined
      ? await join(attempt)
      : await verified(hasher, known, { password, attempt });
  const admitted = proved === undefined ? undefined : await admit(proved);
  if (admitted === undefined) {
    loginThrottle.recordFailure(attempt);
    throw new Problem('credentials_invalid', refusal);
  }
  loginThrottle.recordSuccess(attempt);
  return admitted;
}

/** The account where the password is its own. */
export async function verified<A extends Account>(
  hasher: PasswordHasher,
  account: A | undefined,
  { password, attempt }: { readonly password: string; readonly attempt: SignInAttempt },
): Promise<A | undefined> {
  if (account?.password_hash === undefined) {
    await hasher.verifyAgainstNothing(password, attempt);
    return undefined;
  }
  return (await hasher.verify(password, account.password_hash, attempt)) ? account : undefined;
}

/**
 * Rows by email address. Earlier releases wrote them under the spelling of the address, so each is looked for under all keys
 * that it may have, in one read: what was found by its own spelling is found so still, and no data has to be rewritten.
 */
interface AddressTable<Value> {
  /** The row of the address, by its own spelling where there are several. */
  read(scope: Scope, email: string): Promise<Row<Value> | undefined>;
  /** In one snapshot, in the order asked for. */
  readMany(scope: Scope, emails: readonly string[]): Promise<readonly (Row<Value> | undefined)[]>;
  /** The same, with what holds a commit to no row of the address having changed. */
  readUnchanged(scope: Scope, email: string): Promise<AddressState<Value>>;
  /** The new row, and behind it what refuses the commit where there is a row under another spelling. */
  insert(email: string, value: Value): readonly [Put, ...Change[]];
  /** Refuses a commit where there is a row of the address. */
  absent(email: string): readonly Change[];
  /** By `emailKey`, or by a key of an earlier release. */
  readonly byKey: Table<string, Value>;
}

export interface AddressState<Value> {
  readonly row: Row<Value> | undefined;
  readonly unchanged: readonly Change[];
}

export function addressTable<Value>(byKey: Table<string, Value>): AddressTable<Value> {
  const isAbsent = (key: string): Change => ({ kind: 'check', ...byKey.key(key), if: 'absent' });
  const readMany = async (scope: Scope, emails: readonly string[]) => {
    const keys = emails.map(emailKeys);
    const rows = await byKey.readMany(scope, keys.flat());
    const found: (Row<Value> | undefined)[] = [];
    let at = 0;
    for (const { length } of keys) {
      found.push(rows.slice(at, at + length).find((row) => row !== undefined));
      at += length;
    }
    return found;
  };
  return {
    byKey,
    readMany,
    read: async (scope, email) => (await readMany(scope, [email]))[0],
    readUnchanged: async (scope, email) => {
      const keys = emailKeys(email);
      const rows = await byKey.readMany(scope, keys);
      return {
        row: rows.find((row) => row !== undefined),
        unchanged: keys.map((key, index) => ({ kind: 'check', ...byKey.key(key), if: asRead(rows[index]) })),
      };
    },
    insert: (email, value) => {
      const key = emailKey(email);
      const others = emailKeys(email).filter((other) => other !== key);
      return [byKey.insert(key, value), ...others.map(isAbsent)];
    },
    absent: (email) => emailKeys(email).map(isAbsent),
  };
}

/** A sign-in attempt: the canonical address (`emailKey`) and the client's IP address as the gateway knows it. */
export interface SignInAttempt {
  readonly emailKey: string;
  readonly ip: string;
  /** Whose app it is; left out for builders. */
  readonly org?: string;
}

/**
 * Slows down guessing of passwords, and only that: successes are never counted. At most 10 failures for one
 * (email, ip) and 100 for one ip within 15 minutes, whatever else the requests contain.
 *
 * Call `check` before the password is looked at, then exactly one of the other two before the answer is given away.
 * All three throw Problem `rate_limited` (with `retry_after_seconds`) once the limit is reached: guesses that were
 * sent side by side all pass `check`, but no more of them than the limit learn whether they were right.
 */
export interface LoginThrottle {
  check(attempt: LoginAttempt): void;
  recordFailure(attempt: LoginAttempt): void;
  /** Forgets the failures of this (email, ip), not those of the ip: an own account must not buy more guesses. */
  recordSuccess(attempt: LoginAttempt): void;
}

/** Without an address, where its failures are counted elsewhere: they count for the ip alone. */
type LoginAttempt = Pick<SignInAttempt, 'ip'> & Partial<Pick<SignInAttempt, 'emailKey'>>;

interface LoginThrottleOptions {
  readonly clock: Clock;
  /** Buckets of each of the two kinds; beyond, the one not used for the longest time is forgotten. */
  readonly bucketsMax?: number;
}

const limits = { pair: 10, address: 100 };

export function createLoginThrottle({ clock, bucketsMax = 100_000 }: LoginThrottleOptions): LoginThrottle {
  const failures = createThrottle({ clock, limits, keysMax: bucketsMax });
  const checked = ({ emailKey, ip }: LoginAttempt): ThrottleKeys<keyof typeof limits> => {
    const address = networkKey(ip);
    // No address contains a space, so two pairs never share a key.
    const keys = emailKey === undefined ? { address } : { pair: `${address} ${emailKey}`, address };
    const wait = failures.wait(keys);
    if (wait > 0) throw rateLimited('too many failed sign-ins', wait);
    return keys;
  };
  return {
    check: (attempt) => void checked(attempt),
    recordFailure: (attempt) => failures.record(checked(attempt)),
    recordSuccess: (attempt) => {
      const { pair } = checked(attempt);
      if (pair !== undefined) failures.forget({ pair });
    },
  };
}
