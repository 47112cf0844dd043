import { type Asking, type Audited, auditEntry } from '../audit/audit-entry.ts';
import { type Clock, timestamp } from '../lib/clock.ts';
import type { Actor, RecordData, RecordWrite } from '../records/port.ts';
import { type PlannedChange, unconditional } from '../records/port.ts';
import type { Append } from '../store/port.ts';
import type { Workspace } from '../tenancy/port.ts';

/** Where something is done, and by whom. */
export interface ToldPlace {
  readonly workspace: Workspace;
  readonly actor: Actor;
}

/** An entry of what is done inside a workspace. It belongs into the commit of what it tells of. */
export function toldInWorkspace(
  clock: Clock,
  { workspace, actor }: ToldPlace,
  audited: Pick<Audited, 'action' | 'target' | 'detail'>,
): Append {
  const { actor: who, request_id } = actor.asking ?? personAsking(actor.userId);
  const place = { env: workspace.env, tenant_code: workspace.tenantCode };
  return auditEntry({ at: timestamp(clock.now()), actor: who, request_id }, { ...audited, ...place });
}

/** A person of the app who asks for something himself. */
export function personAsking(id: string, requestId = ''): Asking {
  return { actor: { kind: 'app_user', id }, request_id: requestId };
}

/** What a write of access control is told as; nothing where it changes no access. Only ids: names are values of fields. */
export function toldWrites(
  clock: Clock,
  entity: ToldEntity,
  write: ToldPlace & Pick<RecordWrite, 'before' | 'after'>,
): readonly PlannedChange[] {
  const { before, after } = write;
  const kind = toldKinds[entity];
  const [record, done] = [after ?? before, doneBy(kind, before, after)];
  if (record === undefined || done === undefined) return [];
  const action = `${kind}.${done}`;
  const target = { kind, id: record.id };
  const detail = detailOf(kind, record);
  return [
    unconditional(toldInWorkspace(clock, write, { action, target, ...(detail === undefined ? {} : { detail }) })),
  ];
}

/** By entity, what the records of access control are called in the log. */
const toldKinds = {
  aclpolicy: 'policy',
  group: 'group',
  useraclpolicy: 'policy_link',
  usergroup: 'group_link',
  user: 'member',
} as const;

export type ToldEntity = keyof typeof toldKinds;
type ToldKind = (typeof toldKinds)[ToldEntity];

function doneBy(kind: ToldKind, before: RecordData | undefined, after: RecordData | undefined): string | undefined {
  if (before === undefined) return kind === 'member' ? 'joined' : 'created';
  if (after === undefined) return 'removed';
  if (kind !== 'member') return 'changed';
  if (before.status !== after.status) return after.status === 'active' ? 'reactivated' : 'suspended';
  // What a person is called and looks like is no change of access.
  return before.role === after.role ? undefined : 'role_changed';
}

function detailOf(kind: ToldKind, record: RecordData): Readonly<Record<string, string>> | undefined {
  const names = linkFields[kind];
  return names === undefined ? undefined : Object.fromEntries(names.map((name) => [name, String(record[name])]));
}

const linkFields: Readonly<Partial<Record<ToldKind, readonly string[]>>> = {
  policy_link: ['user_id', 'acl_policy_id'],
  group_link: ['user_id', 'group_id'],
};
