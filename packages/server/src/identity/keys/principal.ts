import type { AuditCaller } from '../../audit/audit-entry.ts';
import type { ConfigReader } from '../../config/port.ts';
import {
  findMember,
  type GrantDeps,
  joiningChanges,
  type Member,
  policyIdByName,
  serviceRole,
} from '../../iam/port.ts';
import { invalidInput, notFound, Problem } from '../../lib/problem.ts';
import type { RecordRuntime } from '../../records/port.ts';
import { systemEntity } from '../../schema/port.ts';
import type { Scope } from '../../store/port.ts';
import { transact } from '../../store/transact.ts';
import type { Environment, Workspace } from '../../tenancy/port.ts';
import { isThere, readHead } from '../workspaces/workspace-head.ts';

export interface PrincipalDeps extends GrantDeps {
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly runtime: Pick<RecordRuntime, 'remove'>;
}

interface Joining {
  readonly member: Member;
  readonly policies: readonly string[];
  readonly auditCaller: AuditCaller;
}

/**
 * Makes a server a member of a workspace, who holds these policies and no others.
 * @returns since when. @throws Problem `not_found`, `validation_failed` naming the policies that there are not.
 */
export async function joinAsServer(
  deps: PrincipalDeps,
  workspace: Workspace,
  { member, policies, auditCaller }: Joining,
): Promise<string> {
  const { scope } = workspace;
  await transact(scope, async () => {
    if ((await readHead(scope))?.id !== workspace.tenantId) throw notFound();
    const policyIds = await policyIdsOf(scope, policies);
    const joining = await joiningChanges(deps, workspace, { member, policyIds, role: serviceRole, auditCaller });
    return { changes: [isThere, ...joining] };
  });
  const joined = await findMember(workspace, member.id);
  if (joined === undefined) throw new Problem('conflict', 'the key was removed from the workspace meanwhile');
  return joined.data.created_at;
}

/** Ends the membership, where the workspace is still there and the server in it. */
export async function leaveAsServer(
  deps: PrincipalDeps,
  workspace: Workspace,
  { id, auditCaller }: { readonly id: string; readonly auditCaller: AuditCaller },
): Promise<void> {
  if ((await readHead(workspace.scope))?.id !== workspace.tenantId) return;
  if ((await findMember(workspace, id)) === undefined) return;
  const config = await deps.configs[workspace.env].current(workspace.orgCode);
  const call = { workspace, entity: systemEntity('user'), actor: { userId: id, claims: {}, auditCaller }, config };
  try {
    await deps.runtime.remove(call, { id });
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'not_found')) throw error;
  }
}

async function policyIdsOf(scope: Scope, names: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(names.map((name) => policyIdByName(scope, name)));
  const errors = names.flatMap((name, index) => {
    if (found[index] !== undefined) return [];
    const message = `there is no policy \`${name.slice(0, 128).toWellFormed()}\` in this workspace`;
    return [{ pointer: `/policies/${index}`, code: 'unknown_reference', message }];
  });
  if (errors.length > 0) throw invalidInput('validation_failed', errors);
  return [...new Set(found.filter((id) => id !== undefined))];
}
