import { hash } from 'node:crypto';
import { type Clock, timestamp } from '../lib/clock.ts';
import { type IdSource, secretToken } from '../lib/ids.ts';
import { invalidInput, Problem } from '../lib/problem.ts';
import { type Change, Conflict, type Key, type Scope } from '../store/port.ts';
import { readCredentials } from './credentials.ts';
import { emailKey, parseEmail } from './email.ts';
import type { FailureBrake } from './failure-brake.ts';
import { findOrg, isOrgCode, newClientId, type Org, orgCodeFrom, orgKey } from './org-directory.ts';
import { checkPassword, type PasswordHasher } from './passwords.ts';
import { readBody } from './read-body.ts';

/** The builders: their accounts, the orgs they belong to, and their sessions on the management gateway. */
export interface OrgAccounts {
  /** Whether nobody has signed up yet. */
  isEmpty(): Promise<boolean>;
  signUp(input: unknown): Promise<SignedUp>;
  logIn(input: unknown, ip: string): Promise<LoggedIn>;
  logOut(token: string): Promise<void>;
  /** Who calls with this token, or undefined where it stands for no session. */
  authenticate(token: string): Promise<OrgCaller | undefined>;
}

export type SignUpPolicy = 'open' | 'first' | 'closed';
export type OrgRole = 'org_admin' | 'developer';

export interface OrgUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}

export interface OrgCaller {
  readonly user: OrgUser;
  readonly org: Org;
  readonly role: OrgRole;
}

export interface Session {
  readonly token: string;
  readonly expires_at: string;
}

export interface SignedUp extends Session {
  readonly user: OrgUser;
  readonly org: Pick<Org, 'code' | 'name' | 'environments'>;
}

export interface LoggedIn extends Session {
  readonly user: OrgUser;
  readonly org: { readonly code: string; readonly name: string };
  readonly orgs: readonly { readonly code: string; readonly name: string; readonly role: OrgRole }[];
}

export interface OrgAccountsParts {
  readonly platform: Scope;
  readonly clock: Clock;
  readonly newId: IdSource;
  readonly hasher: PasswordHasher;
  readonly brake: FailureBrake;
  readonly policy: SignUpPolicy;
}

interface StoredOrgUser extends OrgUser {
  readonly password_hash: string;
  readonly created_at: string;
}

const sessionMilliseconds = 12 * 60 * 60 * 1000;
const passwordLengthMin = 10;
const orgsPerUserMax = 100;

export function createOrgAccounts(parts: OrgAccountsParts): OrgAccounts {
  return {
    isEmpty: async () => (await parts.platform.get([firstOrgKey]))[0] === undefined,
    signUp: (input) => signUp(parts, input),
    logIn: (input, ip) => logIn(parts, input, ip),
    logOut: async (token) => {
      await parts.platform.commit([{ kind: 'remove', ...sessionKey(token), if: 'any' }]);
    },
    authenticate: (token) => authenticate(parts, token),
  };
}

const userByEmailKey = (email: string): Key => ({ pk: 'org-user-email', sk: emailKey(email) });
const userKey = (id: string): Key => ({ pk: 'org-user', sk: id });
const membershipPartition = (userId: string): string => `org-membership;${userId}`;
const membershipKey = (userId: string, orgCode: string): Key => ({ pk: membershipPartition(userId), sk: orgCode });
/** Marks that an org exists: what the sign-up policy `first` looks for. */
const firstOrgKey: Key = { pk: 'platform', sk: 'first-org' };

function sessionKey(token: string): Key {
  return { pk: 'session', sk: hash('sha256', token, 'base64url') };
}

async function signUp(parts: OrgAccountsParts, input: unknown): Promise<SignedUp> {
  const { platform, policy } = parts;
  const [first] = await platform.get([firstOrgKey]);
  if (policy === 'closed' || (policy === 'first' && first !== undefined))
    throw new Problem('signup_closed', 'this platform does not take sign-ups');
  const read = readSignUp(input);
  const password_hash = await parts.hasher.hash(read.password);
  const user: OrgUser = { id: parts.newId(), email: read.email, name: read.name };
  const created_at = timestamp(parts.clock.now());
  const environments = { test: { client_id: newClientId('test') }, prod: null };
  const stored: StoredOrgUser = { ...user, password_hash, created_at };
  for (let attempt = 0; attempt < 5; attempt++) {
    const code = read.orgCode ?? (attempt === 0 ? orgCodeFrom(read.orgName) : spareCode(read.orgName));
    const org: Org = { code, name: read.orgName, created_at, environments };
    const { token, expires_at, change } = newSession(parts, user.id, code);
    const firstCondition = policy === 'first' ? 'absent' : 'any';
    const changes: Change[] = [
      { kind: 'put', ...userByEmailKey(user.email), value: JSON.stringify({ id: user.id }), if: 'absent' },
      { kind: 'put', ...orgKey(code), value: JSON.stringify(org), if: 'absent' },
      { kind: 'put', ...firstOrgKey, value: '{}', if: firstCondition },
      { kind: 'put', ...userKey(user.id), value: JSON.stringify(stored), if: 'absent' },
      { kind: 'put', ...membershipKey(user.id, code), value: JSON.stringify({ role: 'org_admin' }), if: 'absent' },
      change,
    ];
    const conflict = await tryCommit(platform, changes);
    if (conflict === undefined) return { token, expires_at, user, org: { code, name: org.name, environments } };
    if (conflict === 0) throw new Problem('conflict', 'there is an account with this email: log in instead');
    if (conflict === 2) throw new Problem('signup_closed', 'this platform does not take sign-ups');
    if (read.orgCode !== undefined) throw new Problem('conflict', `the org code \`${read.orgCode}\` is taken`);
  }
  throw new Problem('conflict', 'no free org code was found: choose one with `org_code`');
}

async function tryCommit(scope: Scope, changes: readonly Change[]): Promise<number | undefined> {
  try {
    await scope.commit(changes);
    return undefined;
  } catch (error) {
    if (error instanceof Conflict) return error.changeIndex;
    throw error;
  }
}

function spareCode(orgName: string): string {
  const digits = Array.from(secretToken().slice(0, 6), (character) => (character.charCodeAt(0) % 36).toString(36));
  return orgCodeFrom(orgName) + digits.join('');
}

interface SignUpInput {
  readonly email: string;
  readonly password: string;
  readonly name: string;
  readonly orgName: string;
  readonly orgCode: string | undefined;
}

const signUpShape = {
  email: 'required',
  password: 'required',
  name: 'required',
  org_name: 'required',
  org_code: 'optional',
} as const;

function readSignUp(input: unknown): SignUpInput {
  const body = readBody(input, signUpShape);
  const email = parseEmail(body.email);
  const code = body.org_code;
  const errors = [
    ...('error' in email ? [email.error] : []),
    checkPassword(body.password, passwordLengthMin),
    nameError('name', body.name),
    nameError('org_name', body.org_name),
    code === undefined || isOrgCode(code)
      ? undefined
      : {
          pointer: '/org_code',
          code: 'invalid_name',
          message: '`org_code` must be a lower-case letter and then 1 to 31 of `a-z`, `0-9`',
        },
  ].filter((error) => error !== undefined);
  if ('error' in email || errors.length > 0) throw invalidInput('validation_failed', errors);
  return { email: email.email, password: body.password, name: body.name, orgName: body.org_name, orgCode: code };
}

function nameError(member: string, value: string) {
  if (value.trim() !== '' && value.length <= 128) return undefined;
  return { pointer: `/${member}`, code: 'too_long', message: `\`${member}\` must have 1 to 128 characters` };
}

async function logIn(parts: OrgAccountsParts, input: unknown, ip: string): Promise<LoggedIn> {
  const body = readBody(input, { email: 'required', password: 'required', org: 'optional' } as const);
  const email = readCredentials(body);
  const attempt = { emailKey: emailKey(email), ip };
  parts.brake.check(attempt);
  const stored = await findByEmail(parts.platform, email);
  const isRight =
    stored === undefined
      ? await parts.hasher.verifyAgainstNothing(body.password)
      : await parts.hasher.verify(body.password, stored.password_hash);
  const orgs = stored === undefined || !isRight ? [] : await orgsOf(parts.platform, stored.id);
  const chosen = body.org === undefined ? orgs[0] : orgs.find(({ code }) => code === body.org);
  if (stored === undefined || chosen === undefined) {
    parts.brake.recordFailure(attempt);
    throw new Problem('credentials_invalid', 'the email, the password or the org is not right');
  }
  parts.brake.recordSuccess(attempt);
  const { token, expires_at, change } = newSession(parts, stored.id, chosen.code);
  await parts.platform.commit([change]);
  const { id, name } = stored;
  return {
    token,
    expires_at,
    user: { id, email: stored.email, name },
    org: { code: chosen.code, name: chosen.name },
    orgs,
  };
}

async function findByEmail(platform: Scope, email: string): Promise<StoredOrgUser | undefined> {
  const [pointer] = await platform.get([userByEmailKey(email)]);
  if (pointer === undefined) return undefined;
  const [item] = await platform.get([userKey((JSON.parse(pointer.value) as { readonly id: string }).id)]);
  return item === undefined ? undefined : (JSON.parse(item.value) as StoredOrgUser);
}

async function orgsOf(platform: Scope, userId: string): Promise<LoggedIn['orgs']> {
  const memberships = await platform.range(membershipPartition(userId), { limit: orgsPerUserMax });
  const orgs = await platform.get(memberships.map(({ sk }) => orgKey(sk)));
  return memberships.flatMap((membership, index) => {
    const item = orgs[index];
    if (item === undefined) return [];
    const { code, name } = JSON.parse(item.value) as Org;
    return [{ code, name, role: (JSON.parse(membership.value) as { readonly role: OrgRole }).role }];
  });
}

interface StoredSession {
  readonly user_id: string;
  readonly org: string;
}

/** Only the hash of a session's token is kept, so that a copy of the store opens no session. */
function newSession(parts: OrgAccountsParts, userId: string, orgCode: string): Session & { readonly change: Change } {
  const token = `fm_${secretToken()}`;
  const at = parts.clock.now() + sessionMilliseconds;
  const session: StoredSession = { user_id: userId, org: orgCode };
  const change: Change = {
    kind: 'put',
    ...sessionKey(token),
    value: JSON.stringify(session),
    if: 'absent',
    due: { at, queue: 'expire' },
  };
  return { token, expires_at: timestamp(at), change };
}

async function authenticate(parts: OrgAccountsParts, token: string): Promise<OrgCaller | undefined> {
  const [item] = await parts.platform.get([sessionKey(token)]);
  if (item === undefined) return undefined;
  const session = JSON.parse(item.value) as StoredSession;
  const [user, membership] = await parts.platform.get([
    userKey(session.user_id),
    membershipKey(session.user_id, session.org),
  ]);
  const org = await findOrg(parts.platform, session.org);
  if (user === undefined || membership === undefined || org === undefined) return undefined;
  const { id, email, name } = JSON.parse(user.value) as StoredOrgUser;
  const { role } = JSON.parse(membership.value) as { readonly role: OrgRole };
  return { user: { id, email, name }, org, role };
}
