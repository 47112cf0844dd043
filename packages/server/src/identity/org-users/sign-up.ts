import type { accountsApi } from '@freehold/contract/management/accounts';
import { proposeOrgCode } from '@freehold/contract/org-code';
import type { BodyOf } from '@freehold/contract/route';
import { platformAuditEntry } from '../../audit/audit-entry.ts';
import { timestamp } from '../../lib/clock.ts';
import { secretToken } from '../../lib/ids.ts';
import { Problem } from '../../lib/problem.ts';
import type { Change, Key } from '../../store/port.ts';
import { refusedChange } from '../../store/transact.ts';
import { requirePassword } from '../people/passwords.ts';
import { newSession, type Session } from '../sessions/org-sessions.ts';
import { joining, newAccount, type OrgAccountsDeps, type OrgUser, passwordLengthMin } from './account.ts';
import { newClientId, type Org, orgs } from './org-directory.ts';

export interface SignedUp extends Session {
  readonly user: OrgUser;
  readonly org: Pick<Org, 'code' | 'name' | 'environments'>;
}

export interface SignUpSource {
  readonly ip: string;
  readonly requestId: string;
}

/** Marks that an org exists: what the sign-up policy `first` looks for. */
export const firstOrgKey: Key = { pk: 'platform', sk: 'first-org' };

export type SignUp = BodyOf<typeof accountsApi.signUp>;

/** Whether the platform takes sign-ups now. */
export async function maySignUp({ platform, policy }: Pick<OrgAccountsDeps, 'platform' | 'policy'>): Promise<boolean> {
  if (policy !== 'first') return policy === 'open';
  const [first] = await platform.get([firstOrgKey]);
  return first === undefined;
}

/** An account, its org and a session in one commit. */
export async function signUp(deps: OrgAccountsDeps, body: SignUp, { ip, requestId }: SignUpSource): Promise<SignedUp> {
  const { platform, policy } = deps;
  if (!(await maySignUp(deps))) throw closed();
  requirePassword(body.password, { minLength: passwordLengthMin });
  const password_hash = await deps.hasher.hash(body.password, { ip });
  const user: OrgUser = { id: deps.newId(), email: body.email, name: body.name };
  const created_at = timestamp(deps.clock.now());
  const auditContext = { at: created_at, actor: { kind: 'org_user', id: user.id }, request_id: requestId } as const;
  const environments = { test: { client_id: newClientId('test') }, prod: null };
  const { account, email } = newAccount({ ...user, password_hash, created_at });
  for (let attempt = 0; attempt < 5; attempt++) {
    const code = body.org_code ?? codeFrom(body.org_name, attempt === 0);
    const org: Org = { code, name: body.org_name, created_at, environments };
    const { token, expires_at, changes: session } = await newSession(deps, user, code);
    const changes: Change[] = [
      orgs.insert(code, org),
      { kind: 'put', ...firstOrgKey, value: '{}', if: policy === 'first' ? 'absent' : 'any' },
      account,
      ...joining(user.id, code, { role: 'org_admin', joined_at: created_at }),
      ...session,
      platformAuditEntry(code, auditContext, { action: 'org.created', target: { kind: 'org', id: code } }),
      ...email,
    ];
    const conflict = await refusedChange(platform, changes);
    if (conflict === undefined) return { token, expires_at, user, org: { code, name: org.name, environments } };
    if (conflict >= changes.length - email.length)
      throw new Problem('conflict', 'there is an account with this email: log in instead');
    if (conflict === 1) throw closed();
    if (body.org_code !== undefined) throw new Problem('conflict', `the org code \`${code}\` is taken`);
  }
  throw new Problem('conflict', 'no free org code was found: choose one with `org_code`');
}

function closed(): Problem {
  return new Problem('signup_closed', 'this platform does not take sign-ups');
}

/** The one that is proposed for the name; one that is taken, and a name without such letters, get six more. */
function codeFrom(orgName: string, isFirst: boolean): string {
  const { code } = proposeOrgCode(orgName);
  if (isFirst && code !== undefined) return code;
  const digits = Array.from(secretToken().slice(0, 6), (character) => (character.charCodeAt(0) % 36).toString(36));
  return (code ?? 'org') + digits.join('');
}
