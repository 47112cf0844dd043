import type { InputError } from '@freehold/contract/problem';
import { invalidInput, Problem } from '../lib/problem.ts';
import type { EntityRules, PlannedChange, RecordData, RecordWrite } from '../records/port.ts';
import { findRecord } from '../records/port.ts';
import { systemEntity } from '../schema/port.ts';
import type { Workspace } from '../tenancy/port.ts';
import { type AuditedEntity, auditEntriesOfWrite } from './audited-changes.ts';
import { groupLink, linksOf, policyLink, removeLinks } from './members/links.ts';
import { suspendedPassword } from './members/member-status.ts';
import type { AccessEpochs } from './policies/access-epochs.ts';
import { heldPolicies } from './policies/held-policies.ts';
import { moveEpoch } from './policies/policy-epoch.ts';
import { adminPolicy } from './policies/policy-names.ts';
import { groupChanges } from './rules/group-rules.ts';
import { keepAnAdmin } from './rules/last-admin.ts';
import { linkChanges } from './rules/link-rules.ts';
import { policyChanges } from './rules/policy-rules.ts';
import type { RemovalDeps } from './rules/removal.ts';

export interface IamRulesDeps extends RemovalDeps {
  readonly epochs: AccessEpochs;
}

/** What the entities of access control demand beyond their definitions: all of it stands here and in `rules/`. */
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

/** Keeps a removed member from coming back by signing in again. */
export function removedMemberKey(userId: string): { readonly pk: string; readonly sk: string } {
  return { pk: 'removed-member', sk: userId };
}

/** The member's record, which is the truth of a membership. */
export function findMember(workspace: Workspace, userId: string): ReturnType<typeof findRecord> {
  return findRecord({ workspace, entity: systemEntity('user') }, userId);
}
