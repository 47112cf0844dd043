import type { InputError } from '@freehold/contract/problem';
import { parseStatements, type Statement } from '../../access/port.ts';
import { invalidInput, Problem } from '../../lib/problem.ts';
import {
  type EntityRules,
  findRecord,
  type PlannedChange,
  type RecordData,
  type RecordWrite,
  systemData,
} from '../../records/port.ts';
import { groupPoliciesMax, systemEntity } from '../../schema/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { type AuditedEntity, auditEntriesOfWrite } from '../audited-changes.ts';
import {
  groupLink,
  type LinkKind,
  linksFrom,
  linksOf,
  linksPerUserMax,
  policyLink,
  removeLinks,
} from '../members/links.ts';
import { removedMemberKey, suspendedPassword } from '../members/member.ts';
import { type AccessEpochs, moveEpoch } from '../policies/epochs.ts';
import {
  adminPolicy,
  groupIndexChanges,
  heldPolicies,
  policyIdsOf,
  policyOf,
  readPolicies,
  readRecords,
  recordKey,
  type StoredPolicy,
} from '../policies/held-policies.ts';
import { refuseEscalation } from './escalation.ts';
import { keepAdminPolicy, keepAnAdmin } from './last-admin.ts';
import { type PolicyRemovalDeps, releaseGroup, releasePolicy } from './removal.ts';

interface IamRulesDeps extends PolicyRemovalDeps {
  readonly epochs: AccessEpochs;
}

/** The rules for the entities of access control beyond their definitions: all of them are here and in `rules/`. */
export function createIamRules(deps: IamRulesDeps): ReadonlyMap<string, EntityRules> {
  const { epochs, clock } = deps;
  const serial = (
    entity: AuditedEntity,
    check: (write: RecordWrite) => Promise<readonly PlannedChange[]>,
  ): readonly [AuditedEntity, EntityRules] => [
    entity,
    {
      changes: async (write) => {
        const epoch = await moveEpoch(write.workspace.scope);
        return [epoch, ...(await check(write)), ...auditEntriesOfWrite(clock, entity, write)];
      },
      committed: ({ workspace }) => epochs.bump(workspace.scope.name),
    },
  ];
  return new Map([
    serial('aclpolicy', (write) => policyChanges(deps, write)),
    serial('group', groupChanges),
    serial('useraclpolicy', (write) => linkChanges(write, policyLink)),
    serial('usergroup', (write) => linkChanges(write, groupLink)),
    serial('user', userChanges),
  ]);
}

/** A person is in a workspace by having signed in to it, so members are made by signing in alone. */
async function userChanges(write: RecordWrite): Promise<readonly PlannedChange[]> {
  const { workspace, before, after } = write;
  if (before === undefined)
    throw new Problem('invalid_request', 'a member is made by signing in, not by creating a `user` record');
  if (after !== undefined && after.email !== before.email) {
    const error: InputError = {
      pointer: '/email',
      code: 'unknown_field',
      message: 'field `email` belongs to the person and is set by the platform',
    };
    throw invalidInput('unknown_field', [error]);
  }
  if (after !== undefined) refuseSuspendedPassword(before, after);
  // A cleared status is as good as a suspension: only `active` lets a person in. Of an admin whose account cannot be
  // signed in to the membership is kept, since it can be had back.
  const isKept = before.status === 'active' || before.status === suspendedPassword;
  if (isKept && after?.status !== before.status) await keepAnAdminBeside(workspace, before.id);
  return after === undefined ? memberRemoval(workspace, before.id) : [];
}

/** @throws Problem `conflict`. */
function refuseSuspendedPassword(before: RecordData, after: RecordData): void {
  if (before.status === after.status || ![before.status, after.status].includes(suspendedPassword)) return;
  throw new Problem(
    'conflict',
    `status \`${suspendedPassword}\` is set by the platform: remove the member, or let an org admin merge both accounts`,
  );
}

async function keepAnAdminBeside(workspace: Workspace, userId: string): Promise<void> {
  const held = await heldPolicies(workspace, userId);
  const admin = held.find(({ policyName }) => policyName === adminPolicy);
  if (admin !== undefined) await keepAnAdmin(workspace, admin.policyId, { kind: 'user', id: userId });
}

async function memberRemoval(workspace: Workspace, userId: string): Promise<readonly PlannedChange[]> {
  const links = await linksOf(workspace.scope, userId);
  const mark: PlannedChange = {
    change: { kind: 'put', ...removedMemberKey(userId), value: '{}', if: 'any' },
    onConflict: 'replan',
  };
  const [policyLinks, groupLinks] = await Promise.all([
    removeLinks(workspace.scope, policyLink, links.policyLinks),
    removeLinks(workspace.scope, groupLink, links.groupLinks),
  ]);
  return [mark, ...policyLinks, ...groupLinks];
}

/**
 * The rules for writing a policy. Only what the policy did not grant before has to be covered by the caller; but a
 * policy under another name is granted again, since a name is what gives a policy to new members.
 */
async function policyChanges(deps: PolicyRemovalDeps, write: RecordWrite): Promise<readonly PlannedChange[]> {
  const { before, after } = write;
  const statements = after === undefined ? [] : statementsOf(after);
  await refuseEscalation(write, {
    before: before === undefined ? [] : [policyOf(before)],
    after: after === undefined ? [] : [policyOf(after)],
    isAnew: before?.name !== after?.name,
  });
  if (before !== undefined) keepAdminPolicy(before, after, statements);
  return before !== undefined && after === undefined ? releasePolicy(deps, write, before) : [];
}

function statementsOf(policy: RecordData): readonly Statement[] {
  const parsed = parseStatements(policy.statements);
  if ('statements' in parsed) return parsed.statements;
  throw invalidInput(
    'validation_failed',
    parsed.errors.map((error) => ({ ...error, pointer: `/statements${error.pointer}` })),
  );
}

/**
 * The rules for writing a group. The policies that it held before need not be covered again, unless the write takes a
 * policy out whose Deny held back what they allow.
 */
async function groupChanges(write: RecordWrite): Promise<readonly PlannedChange[]> {
  const { workspace, before, after } = write;
  const group = after ?? before;
  if (group === undefined) throw new TypeError('a write has a record before it or after it');
  const ids = { before: policyIdsOf(before), after: after === undefined ? [] : readPolicyIds(after) };
  await requirePolicies(write, ids);
  const policies = await readPolicies(workspace, [...new Set([...ids.before, ...ids.after])]);
  const held = (wanted: readonly string[]): readonly StoredPolicy[] =>
    policies.filter(({ policyId }) => wanted.includes(policyId));
  await refuseEscalation(write, { before: held(ids.before), after: held(ids.after) });
  const admin = held(ids.before).find(({ policyName }) => policyName === adminPolicy);
  if (admin !== undefined && !ids.after.includes(admin.policyId))
    await keepAnAdmin(workspace, admin.policyId, { kind: 'group', id: group.id });
  const key = recordKey(workspace, 'group', group.id);
  return [
    ...groupIndexChanges({ id: group.id, key }, ids.before, ids.after),
    ...(after === undefined ? await releaseGroup(write, group) : []),
  ];
}

function readPolicyIds(group: RecordData): readonly string[] {
  const { acl_policies: ids = [] } = group;
  if (Array.isArray(ids) && ids.length <= groupPoliciesMax && ids.every((id) => typeof id === 'string')) return ids;
  throw invalidInput('validation_failed', [
    {
      pointer: '/acl_policies',
      code: 'wrong_type',
      message: `field \`acl_policies\` must be an array of at most ${groupPoliciesMax} ids of policies`,
    },
  ]);
}

async function requirePolicies(
  { workspace }: RecordWrite,
  ids: { readonly before: readonly string[]; readonly after: readonly string[] },
): Promise<void> {
  for (const [index, id] of ids.after.entries())
    if (!ids.before.includes(id))
      await requireRecord(workspace, { entity: 'aclpolicy', id, pointer: `/acl_policies/${index}` });
}

/**
 * The rules for linking a person to a policy or group, and unlinking. A link that is led elsewhere grants what the new
 * place grants beyond the old one, since it stays with its person.
 */
async function linkChanges(write: RecordWrite, kind: LinkKind): Promise<readonly PlannedChange[]> {
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
): Promise<readonly StoredPolicy[]> {
  if (link === undefined) return [];
  const id = String(link[kind.by]);
  if (kind.to === policyLink.to) return readPolicies(workspace, [id]);
  const [group] = await readRecords(workspace, kind.to, [id]);
  return group === undefined ? [] : readPolicies(workspace, policyIdsOf(systemData(group)));
}

function isAdminPolicy({ policyName }: StoredPolicy): boolean {
  return policyName === adminPolicy;
}

/** The record that an id sent by a caller names. @throws Problem `validation_failed`, pointing to the id. */
async function requireRecord(
  workspace: Workspace,
  wanted: { readonly entity: string; readonly id: string; readonly pointer: string },
): Promise<RecordData> {
  const found = await findRecord({ workspace, entity: systemEntity(wanted.entity) }, wanted.id);
  if (found !== undefined) return found.data;
  throw invalidInput('validation_failed', [
    {
      pointer: wanted.pointer,
      code: 'unknown_reference',
      message: `there is no \`${wanted.entity}\` with the id \`${wanted.id.slice(0, 64)}\` in this workspace`,
    },
  ]);
}
