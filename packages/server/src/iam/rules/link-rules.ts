import type { HeldPolicy } from '../../access/port.ts';
import { Problem } from '../../lib/problem.ts';
import { type PlannedChange, type RecordData, type RecordWrite, systemData } from '../../records/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { type LinkKind, linksFrom, linksPerUserMax, policyLink } from '../members/links.ts';
import { policyIdsOf } from '../policies/group-policies.ts';
import { readPolicies, readRecords } from '../policies/held-policies.ts';
import { adminPolicy } from '../policies/policy-names.ts';
import { refuseEscalation } from './escalation.ts';
import { keepAnAdmin } from './last-admin.ts';
import { requireRecord } from './require-record.ts';

/**
 * What linking a person to a policy or group demands, and unlinking. A link that is led elsewhere grants what the new
 * place grants beyond the old one, since it stays with its person.
 */
export async function linkChanges(write: RecordWrite, kind: LinkKind): Promise<readonly PlannedChange[]> {
  const { workspace, before, after } = write;
  if (after !== undefined) await requireEnds(workspace, kind, { before, after });
  if (before === undefined && after !== undefined) await refuseTooManyLinks(workspace, kind, String(after.user_id));
  const policies = {
    before: await policiesBehind(workspace, kind, before),
    after: await policiesBehind(workspace, kind, after),
  };
  await refuseEscalation(write, policies);
  const admin = policies.before.find(isAdminPolicy);
  if (before !== undefined && admin !== undefined && !policies.after.some(isAdminPolicy))
    await keepAnAdmin(workspace, admin.policyId, { kind: 'link', id: before.id });
  return [];
}

async function requireEnds(
  workspace: Workspace,
  kind: LinkKind,
  { before, after }: { readonly before: RecordData | undefined; readonly after: RecordData },
): Promise<void> {
  if (before !== undefined && after.user_id !== before.user_id)
    throw new Problem('invalid_request', 'a link stays with its user: delete it and make another');
  await requireRecord(workspace, { entity: 'user', id: String(after.user_id), pointer: '/user_id' });
  await requireRecord(workspace, { entity: kind.to, id: String(after[kind.by]), pointer: `/${kind.by}` });
}

async function refuseTooManyLinks(workspace: Workspace, kind: LinkKind, userId: string): Promise<void> {
  const links = await linksFrom(workspace.scope, kind, userId);
  if (links.length >= linksPerUserMax)
    throw new Problem('conflict', `a user may have at most ${linksPerUserMax} \`${kind.entity}\` links`);
}

async function policiesBehind(
  workspace: Workspace,
  kind: LinkKind,
  link: RecordData | undefined,
): Promise<readonly HeldPolicy[]> {
  if (link === undefined) return [];
  const id = String(link[kind.by]);
  if (kind.to === policyLink.to) return readPolicies(workspace, [id]);
  const [group] = await readRecords(workspace, kind.to, [id]);
  return group === undefined ? [] : readPolicies(workspace, policyIdsOf(systemData(group)));
}

function isAdminPolicy({ policyName }: HeldPolicy): boolean {
  return policyName === adminPolicy;
}
