import { type AuditCaller, type Audited, auditEntry } from '../audit/audit-entry.ts';
import { type Clock, timestamp } from '../lib/clock.ts';
import { type Actor, type PlannedChange, type RecordData, type RecordWrite, unconditional } from '../records/port.ts';
import type { Append } from '../store/port.ts';
import type { Workspace } from '../tenancy/port.ts';

/** The workspace of an action, and its actor. */
export interface WorkspaceAuditContext {
  readonly workspace: Workspace;
  readonly actor: Actor;
}

/** An entry of an action inside a workspace. It belongs into the commit of the action. */
export function auditEntryInWorkspace(
  clock: Clock,
  { workspace, actor }: WorkspaceAuditContext,
  audited: Pick<Audited, 'action' | 'target' | 'detail'>,
): Append {
  const { actor: who, request_id } = actor.auditCaller ?? auditCallerOf(actor.userId);
  const place = { env: workspace.env, tenant_code: workspace.tenantCode };
  return auditEntry({ at: timestamp(clock.now()), actor: who, request_id }, { ...audited, ...place });
}

/** A person of the app who asks for something himself. */
export function auditCallerOf(id: string, requestId = ''): AuditCaller {
  return { actor: { kind: 'app_user', id }, request_id: requestId };
}

/**
 * The audit entries of a write of access control; none if it changes no access. Only ids: names are values of fields.
 */
export function auditEntriesOfWrite(
  clock: Clock,
  entity: AuditedEntity,
  write: WorkspaceAuditContext & Pick<RecordWrite, 'before' | 'after'>,
): readonly PlannedChange[] {
  const { before, after } = write;
  const kind = auditedKinds[entity];
  const [record, done] = [after ?? before, doneBy(kind, before, after)];
  if (record === undefined || done === undefined) return [];
  const action = `${kind}.${done}`;
  const target = { kind, id: record.id };
  const detail = detailOf(kind, record);
  return [
    unconditional(auditEntryInWorkspace(clock, write, { action, target, ...(detail === undefined ? {} : { detail }) })),
  ];
}

/** By entity, what the records of access control are called in the log. */
const auditedKinds = {
  aclpolicy: 'policy',
  group: 'group',
  useraclpolicy: 'policy_link',
  usergroup: 'group_link',
  user: 'member',
} as const;

export type AuditedEntity = keyof typeof auditedKinds;
type AuditedKind = (typeof auditedKinds)[AuditedEntity];

function doneBy(kind: AuditedKind, before: RecordData | undefined, after: RecordData | undefined): string | undefined {
  if (before === undefined) return kind === 'member' ? 'joined' : 'created';
  if (after === undefined) return 'removed';
  if (kind !== 'member') return 'changed';
  if (before.status !== after.status) return after.status === 'active' ? 'reactivated' : 'suspended';
  // A change of a person's name or looks is no change of access.
  return before.role === after.role ? undefined : 'role_changed';
}

function detailOf(kind: AuditedKind, record: RecordData): Readonly<Record<string, string>> | undefined {
  const names = linkFields[kind];
  return names === undefined ? undefined : Object.fromEntries(names.map((name) => [name, String(record[name])]));
}

const linkFields: Readonly<Partial<Record<AuditedKind, readonly string[]>>> = {
  policy_link: ['user_id', 'acl_policy_id'],
  group_link: ['user_id', 'group_id'],
};
