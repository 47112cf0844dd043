import { type Access, builderAccess, findMember, type ResolvedAccess, resolveAccess } from '../../iam/port.ts';
import { Problem } from '../../lib/problem.ts';
import type { Workspace } from '../../tenancy/port.ts';
import type { AppTokenClaims } from '../tokens/app-tokens.ts';
import { openWorkspace, readHead } from '../workspaces/workspace-head.ts';
import { freshMilliseconds, type Session, type SessionDeps } from './session.ts';

/** A caller in a workspace with what he may do there. */
export interface WorkspaceSession {
  readonly workspace: Workspace;
  readonly access: Access;
  /** Why nothing is answered, whatever is asked. */
  readonly refusal: Problem | undefined;
  /** Whether only builders are let in, and only to read. */
  readonly isSuspended: boolean;
  readonly resolvedAt: number;
  /** For how long this serves, where this process has not heard of a change. */
  readonly freshMilliseconds: number;
  readonly epoch: number;
}

type WorkspaceSessionDeps = Pick<SessionDeps, 'stores' | 'clock' | 'epochs' | 'configs'>;

/** @throws Problem `token_invalid` where the membership that the token was made for is no more. */
export async function openWorkspaceSession(
  deps: WorkspaceSessionDeps,
  { kind, claims }: Pick<Session, 'kind' | 'claims'>,
): Promise<WorkspaceSession> {
  const { env, org: orgCode, tenant_id: id = '', tenant_code: code = '', sub } = claims;
  const resolvedAt = deps.clock.now();
  const workspace = openWorkspace(deps, { env, orgCode }, { id, code });
  // Read first: a change that falls between this and the reads below makes the place stale, never wrong.
  const epoch = deps.epochs.current(workspace.scope.name);
  const head = await readHead(workspace.scope);
  const isLetIn = kind === 'builder' || (await isSameMembership(workspace, claims));
  if (head?.id !== id || !isLetIn) throw new Problem('token_invalid', 'the membership behind the token has ended');
  const { access, excess } = kind === 'builder' ? ofBuilder : await resolveAccess(workspace, sub);
  const refusal = excess === undefined ? undefined : new Problem('access_denied', excess, { reason: 'implicit_deny' });
  const fresh = await freshMilliseconds(deps, claims);
  const isSuspended = head.is_suspended === true;
  return { workspace, access, refusal, isSuspended, resolvedAt, freshMilliseconds: fresh, epoch };
}

const ofBuilder: ResolvedAccess = { access: builderAccess, excess: undefined };

async function isSameMembership(workspace: Workspace, { sub, member_since }: AppTokenClaims): Promise<boolean> {
  const member = await findMember(workspace, sub);
  return member?.data.status === 'active' && member.data.created_at === member_since;
}
