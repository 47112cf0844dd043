import type { InputError } from '@freehold/contract/problem';
import { parseStatements } from '../access/statement.ts';
import type { EntityRules, RecordWrite } from '../entities/entity-rules.ts';
import { findItem, findRecord } from '../entities/find-record.ts';
import type { RecordData } from '../entities/record.ts';
import { removeRecords } from '../entities/record-changes.ts';
import { systemEntity } from '../entities/system-entities.ts';
import type { Workspace } from '../entities/workspace.ts';
import type { PlannedChange } from '../entities/write-loop.ts';
import { invalidInput, Problem } from '../lib/problem.ts';
import type { AccessEpochs } from './access-epochs.ts';
import { linksOf, linksPerUserMax } from './links.ts';
import { moveEpoch } from './policy-epoch.ts';
import { uniqueSentinel } from './unique-sentinel.ts';

/** What the entities of access control demand beyond their definitions: all of it stands here. */
export function createIamRules(epochs: AccessEpochs): ReadonlyMap<string, EntityRules> {
  const serial = (check: (write: RecordWrite) => Promise<readonly PlannedChange[]>): EntityRules => ({
    changes: async (write) => {
      const epoch = await moveEpoch(write.workspace.scope);
      return [epoch, ...(await check(write))];
    },
    committed: ({ workspace }) => epochs.bump(workspace.scope.name),
  });
  return new Map([
    ['aclpolicy', serial(policyChanges)],
    ['group', serial(groupChanges)],
    [
      'useraclpolicy',
      serial((write) => linkChanges(write, { entity: 'useraclpolicy', to: 'aclpolicy', by: 'acl_policy_id' })),
    ],
    ['usergroup', serial((write) => linkChanges(write, { entity: 'usergroup', to: 'group', by: 'group_id' }))],
    ['userrole', serial(async (write) => uniqueName('userrole', write))],
    ['user', serial(userChanges)],
  ]);
}

async function policyChanges(write: RecordWrite): Promise<readonly PlannedChange[]> {
  if (write.after !== undefined) {
    const parsed = parseStatements(write.after.statements);
    if ('errors' in parsed)
      throw invalidInput(
        'validation_failed',
        parsed.errors.map((error) => ({ ...error, pointer: `/statements${error.pointer}` })),
      );
  }
  return uniqueName('aclpolicy', write);
}

const groupPoliciesMax = 50;

async function groupChanges(write: RecordWrite): Promise<readonly PlannedChange[]> {
  if (write.after !== undefined) {
    const ids = write.after.acl_policies ?? [];
    if (!Array.isArray(ids) || ids.length > groupPoliciesMax || !ids.every((id) => typeof id === 'string'))
      throw invalidInput('validation_failed', [
        {
          pointer: '/acl_policies',
          code: 'wrong_type',
          message: `field \`acl_policies\` must be an array of at most ${groupPoliciesMax} ids of policies`,
        },
      ]);
    for (const [index, id] of ids.entries())
      await requireRecord(write.workspace, { entity: 'aclpolicy', id, pointer: `/acl_policies/${index}` });
  }
  return uniqueName('group', write);
}

interface LinkKind {
  readonly entity: string;
  readonly to: string;
  readonly by: string;
}

async function linkChanges(write: RecordWrite, kind: LinkKind): Promise<readonly PlannedChange[]> {
  const { workspace, before, after } = write;
  if (after !== undefined && before !== undefined && after.user_id !== before.user_id)
    throw new Problem('invalid_request', 'a link stays with its user: delete it and make another');
  if (after !== undefined) {
    await requireRecord(workspace, { entity: 'user', id: String(after.user_id), pointer: '/user_id' });
    await requireRecord(workspace, { entity: kind.to, id: String(after[kind.by]), pointer: `/${kind.by}` });
  }
  if (before === undefined && after !== undefined) await refuseTooManyLinks(workspace, String(after.user_id));
  const pair = (data: RecordData | undefined): string | undefined =>
    data === undefined ? undefined : `${data.user_id};${data[kind.by]}`;
  return uniqueSentinel({ entity: kind.entity, index: `user_id,${kind.by}`, before: pair(before), after: pair(after) });
}

async function refuseTooManyLinks(workspace: Workspace, userId: string): Promise<void> {
  const links = await linksOf(workspace.scope, userId);
  if (Math.max(links.policyLinks.length, links.groupLinks.length) >= linksPerUserMax)
    throw new Problem('conflict', `a user may have at most ${linksPerUserMax} links of a kind`);
}

/** A person is in a workspace by having signed in to it, so members are made by signing in alone. */
async function userChanges(write: RecordWrite): Promise<readonly PlannedChange[]> {
  const { workspace, before, after } = write;
  if (before === undefined)
    throw new Problem('invalid_request', 'a member is made by signing in, not by creating a `user` record');
  if (after !== undefined) {
    if (after.email === before.email) return [];
    const error: InputError = {
      pointer: '/email',
      code: 'unknown_field',
      message: 'field `email` belongs to the person and is set by the platform',
    };
    throw invalidInput('unknown_field', [error]);
  }
  const links = await linksOf(workspace.scope, before.id);
  const removals = [
    ...removeRecords(systemEntity('useraclpolicy'), links.policyLinks),
    ...removeRecords(systemEntity('usergroup'), links.groupLinks),
  ];
  const sentinels = [
    ...links.policyLinks.flatMap((item) => freed('useraclpolicy', 'acl_policy_id', item.value)),
    ...links.groupLinks.flatMap((item) => freed('usergroup', 'group_id', item.value)),
  ];
  const mark: PlannedChange = {
    change: { kind: 'put', ...removedMemberKey(before.id), value: '{}', if: 'any' },
    onConflict: 'replan',
  };
  return [mark, ...sentinels, ...removals.map((change): PlannedChange => ({ change, onConflict: 'replan' }))];
}

function freed(entity: string, by: string, value: string): readonly PlannedChange[] {
  const data = JSON.parse(value) as RecordData;
  return uniqueSentinel({ entity, index: `user_id,${by}`, before: `${data.user_id};${data[by]}`, after: undefined });
}

/** Keeps a removed member from coming back by signing in again. */
export function removedMemberKey(userId: string): { readonly pk: string; readonly sk: string } {
  return { pk: 'removed-member', sk: userId };
}

/** Names are unique in their workspace, ignoring the case of ASCII letters. */
function uniqueName(entity: string, write: RecordWrite): readonly PlannedChange[] {
  const name = (data: RecordData | undefined): string | undefined =>
    data === undefined ? undefined : String(data.name).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return uniqueSentinel({ entity, index: 'name', before: name(write.before), after: name(write.after) });
}

async function requireRecord(
  workspace: Workspace,
  wanted: { readonly entity: string; readonly id: string; readonly pointer: string },
): Promise<void> {
  const found = await findItem({ workspace, entity: systemEntity(wanted.entity) }, wanted.id);
  if (found !== undefined) return;
  throw invalidInput('validation_failed', [
    {
      pointer: wanted.pointer,
      code: 'unknown_reference',
      message: `there is no \`${wanted.entity}\` with the id \`${wanted.id.slice(0, 64)}\` in this workspace`,
    },
  ]);
}

/** The member's record, which is the truth of a membership. */
export function findMember(workspace: Workspace, userId: string): ReturnType<typeof findRecord> {
  return findRecord({ workspace, entity: systemEntity('user') }, userId);
}
