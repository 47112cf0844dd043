import type { Statement } from '../../access/port.ts';
import { type AuditCaller, platformActor } from '../../audit/audit-entry.ts';
import { systemConfig } from '../../config/port.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import type { IdSource } from '../../lib/ids.ts';
import {
  type Actor,
  createNumbering,
  createSealer,
  mergeChanges,
  type PlannedChange,
  planCreate,
  type RecordData,
  recordChanges,
  systemData,
} from '../../records/port.ts';
import { systemEntity } from '../../schema/port.ts';
import type { Change, Item } from '../../store/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { type AuditedEntity, auditEntriesOfWrite } from '../audited-changes.ts';
import { groupLink, type LinkKind, linksOf, linksPerUserMax, policyLink } from '../members/links.ts';
import { type FoundingMember, findMember } from '../members/member.ts';
import { moveEpoch } from '../policies/epochs.ts';
import {
  adminGroup,
  adminPolicy,
  groupIndexChanges,
  policyIdByName,
  policyIdsOf,
  recordByName,
  recordKey,
  viewerPolicy,
} from '../policies/held-policies.ts';
import { contentDigest, policiesDigest, type TemplateRecord, templateMarks } from '../templates/compare-template.ts';
import type { WorkspaceTemplates } from './describe-templates.ts';

export interface GrantDeps {
  readonly clock: Clock;
  readonly newId: IdSource;
}

export const everything: readonly Statement[] = [
  { Sid: 'Everything', Effect: 'Allow', Action: ['*'], Resource: ['*'] },
];
const reading: readonly Statement[] = [
  { Sid: 'Read', Effect: 'Allow', Action: ['get*', 'list*', 'count*'], Resource: ['*'] },
  {
    Sid: 'OwnProfile',
    Effect: 'Allow',
    Action: ['updateuser'],
    Resource: ['/update/user/$' + '{user.id}'],
    Fields: ['fn', 'ln', 'picture'],
  },
];

/** Has made what the platform makes of its own accord. No person has this id, so no policy about own records reaches it. */
const platformId = '00000000-0000-7000-8000-000000000001';

/**
 * Everything that a new workspace starts with: its policies, its group of admins, its founder with both, and what the
 * org's templates add, each with its audit entry. Without a founder it has no member.
 */
export async function foundingChanges(
  deps: GrantDeps,
  workspace: Workspace,
  founding: {
    readonly founder?: FoundingMember | undefined;
    readonly templates?: WorkspaceTemplates | undefined;
    readonly auditCaller: AuditCaller;
  },
): Promise<readonly Change[]> {
  const { founder, templates, auditCaller } = founding;
  const [adminId, viewerId, groupId] = [deps.newId(), deps.newId(), deps.newId()];
  const platformPolicies = [
    [adminPolicy, adminId],
    [viewerPolicy, viewerId],
  ] as const;
  const made = templateRecords(deps, templates, platformPolicies);
  const by = auditCaller.actor.kind === 'org_user' ? auditCaller.actor.id : platformId;
  const actor = { userId: founder?.id ?? by, claims: {}, auditCaller };
  const records = await newRecords(deps, { workspace, actor }, [
    { entity: 'aclpolicy', id: adminId, body: { name: adminPolicy, statements: everything } },
    { entity: 'aclpolicy', id: viewerId, body: { name: viewerPolicy, statements: reading } },
    { entity: 'group', id: groupId, body: { name: adminGroup, acl_policies: [adminId] } },
    ...(founder === undefined
      ? []
      : [
          { entity: 'user', id: founder.id, body: { ...memberBody(founder), role: adminRole } } as const,
          { entity: 'useraclpolicy', id: deps.newId(), body: { user_id: founder.id, acl_policy_id: adminId } } as const,
          { entity: 'usergroup', id: deps.newId(), body: { user_id: founder.id, group_id: groupId } } as const,
        ]),
    ...made,
  ]);
  const mark = templates === undefined ? [] : [newMark(deps, templates, made)];
  return [...records, ...mark];
}

/** The label of a founder. */
export const adminRole = 'admin';

/** The records of the workspace that its template has made, so that a later template replaces these alone. */
function newMark({ clock }: GrantDeps, templates: WorkspaceTemplates, made: readonly NewRecord[]): Change {
  const of = (entity: NewRecord['entity'], digestOf: (body: NewRecord['body']) => string): readonly TemplateRecord[] =>
    made
      .filter((one) => one.entity === entity)
      .map(({ id, body }) => ({ name: String(body.name), id, digest: digestOf(body) }));
  return templateMarks.insert(undefined, {
    at: timestamp(clock.now()),
    digest: contentDigest(templates),
    policies: of('aclpolicy', ({ statements }) => contentDigest(statements)),
    groups: of('group', (body) => policiesDigest(policyIdsOf(body))),
  });
}

function templateRecords(
  { newId }: GrantDeps,
  { policies, groups }: WorkspaceTemplates = { policies: [], groups: [] },
  platformPolicies: readonly (readonly [name: string, id: string])[],
): readonly NewRecord[] {
  const ids = new Map([...platformPolicies, ...policies.map(({ name }) => [name, newId()] as const)]);
  const idOf = (name: string): string => ids.get(name) ?? '';
  return [
    ...policies.map((body): NewRecord => ({ entity: 'aclpolicy', id: idOf(body.name), body: { ...body } })),
    ...groups.map(
      ({ name, acl_policies }): NewRecord => ({
        entity: 'group',
        id: newId(),
        body: { name, acl_policies: acl_policies.map(idOf) },
      }),
    ),
  ];
}

/**
 * A new member, with first policies, each with its audit entry. Joining does not move the policy epoch, so the commit
 * itself checks that they are still there.
 */
export async function joiningChanges(
  deps: GrantDeps,
  workspace: Workspace,
  joining: {
    readonly member: FoundingMember;
    readonly policyIds: readonly string[];
    readonly role?: string | undefined;
    readonly auditCaller: AuditCaller;
  },
): Promise<readonly Change[]> {
  const { member, policyIds, role, auditCaller } = joining;
  const body = { ...memberBody(member), ...(role === undefined ? {} : { role }) };
  const call = { workspace, actor: { userId: member.id, claims: {}, auditCaller } };
  const stand = policyIds.map(
    (id): Change => ({ kind: 'check', ...recordKey(workspace, 'aclpolicy', id), if: 'present' }),
  );
  const records = await newRecords(deps, call, [
    { entity: 'user', id: member.id, body },
    ...policyIds.map(
      (id): NewRecord => ({
        entity: 'useraclpolicy',
        id: deps.newId(),
        body: { user_id: member.id, acl_policy_id: id },
      }),
    ),
  ]);
  return [...stand, ...records];
}

export interface NewRecord {
  readonly entity: AuditedEntity;
  readonly id: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The platform makes these records itself, so the rules of their entities are not asked. */
export const unruled = { rules: new Map(), numbering: createNumbering(), sealer: createSealer([]) };

/** Records of access control that the platform itself makes, each with its audit entry. */
export async function newRecords(
  deps: GrantDeps,
  call: { readonly workspace: Workspace; readonly actor: Actor },
  records: readonly NewRecord[],
): Promise<readonly Change[]> {
  return mergeChanges(await plannedRecords(deps, call, records)).map(({ change }) => change);
}

/** The same, before they are one commit with others. */
export async function plannedRecords(
  { clock }: Pick<GrantDeps, 'clock'>,
  call: { readonly workspace: Workspace; readonly actor: Actor },
  records: readonly NewRecord[],
): Promise<readonly PlannedChange[]> {
  const changes: PlannedChange[] = [];
  for (const { entity, id, body } of records) {
    const request = { ...call, config: systemConfig, entity: systemEntity(entity) };
    const plan = await planCreate({ clock, ...unruled }, request, { id, body, numbers: new Map() });
    changes.push(...plan.changes, ...auditEntriesOfWrite(clock, entity, { ...call, after: plan.data }));
    if (entity === 'group') changes.push(...groupIndexChanges({ id, key: plan.key }, [], policyIdsOf(plan.data)));
  }
  return changes;
}

function memberBody(member: FoundingMember): Readonly<Record<string, unknown>> {
  return { email: member.email, fn: member.fn, ln: member.ln };
}

/** Whose member it is that becomes an admin, and by which request. */
interface FounderArrival {
  readonly workspace: Workspace;
  readonly userId: string;
  readonly requestId: string;
}

/**
 * Gives a member what a founder has: the policy of admins, their group where the workspace has it still, and the role.
 * Undefined where the person is no active member, or has no room for the policy.
 */
export async function founderGrants(
  deps: GrantDeps,
  { workspace, userId, requestId }: FounderArrival,
): Promise<readonly Change[] | undefined> {
  const { scope } = workspace;
  const epoch = await moveEpoch(scope);
  const before = await findMember(workspace, userId);
  const adminId = await policyIdByName(scope, adminPolicy);
  const groupId = (await recordByName(scope, 'group', adminGroup))?.id;
  const { policyLinks, groupLinks } = await linksOf(scope, userId);
  if (before?.data.status !== 'active' || adminId === undefined || policyLinks.length >= linksPerUserMax)
    return undefined;
  const call = {
    workspace,
    actor: { userId, claims: {}, auditCaller: { actor: platformActor, request_id: requestId } },
  };
  const link = (kind: LinkKind, id: string | undefined, held: readonly Item[]): readonly NewRecord[] => {
    const isHeld = held.some((one) => systemData(one)[kind.by] === id);
    if (id === undefined || isHeld || held.length >= linksPerUserMax) return [];
    return [{ entity: kind.entity, id: deps.newId(), body: { user_id: userId, [kind.by]: id } }];
  };
  const stamps = { updated_at: timestamp(deps.clock.now()), updated_by: userId };
  const data: RecordData = { ...before.data, role: adminRole, ...stamps };
  const changes = mergeChanges([
    epoch,
    ...(await recordChanges(scope, systemEntity('user'), { before, after: { key: before.key, data } })),
    ...auditEntriesOfWrite(deps.clock, 'user', { ...call, before: before.data, after: data }),
    ...(await plannedRecords(deps, call, [
      ...link(policyLink, adminId, policyLinks),
      ...link(groupLink, groupId, groupLinks),
    ])),
  ]);
  return changes.map(({ change }) => change);
}
