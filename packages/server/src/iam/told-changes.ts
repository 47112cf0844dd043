import { type Audited, auditEntry } from '../audit/audit-entry.ts';
import type { RecordWrite } from '../entities/entity-rules.ts';
import { type PlannedChange, unconditional } from '../entities/planned-change.ts';
import type { RecordData } from '../entities/record.ts';
import type { Actor, Workspace } from '../entities/workspace.ts';
import { type Clock, timestamp } from '../lib/clock.ts';
import type { Append } from '../store/port.ts';

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
  const { actor: who, request_id } = actor.asking ?? { actor: { kind: 'app_user', id: actor.userId }, request_id: '' };
  const place = { env: workspace.env, tenant_code: workspace.tenantCode };
  return auditEntry({ at: timestamp(clock.now()), actor: who, request_id }, { ...audited, ...place });
}

/** What a write of access control is told as; nothing where it changes no access. Only ids: names are values of fields. */
export function toldWrites(clock: Clock, kind: ToldKind, write: RecordWrite): readonly PlannedChange[] {
  const { before, after } = write;
  const [record, done] = [after ?? before, doneBy(kind, before, after)];
  if (record === undefined || done === undefined) return [];
  const action = `${kind}.${done}`;
  const target = { kind, id: record.id };
  const detail = detailOf(kind, record);
  return [
    unconditional(toldInWorkspace(clock, write, { action, target, ...(detail === undefined ? {} : { detail }) })),
  ];
}

export type ToldKind = 'policy' | 'group' | 'policy_link' | 'group_link' | 'member';

function doneBy(kind: ToldKind, before: RecordData | undefined, after: RecordData | undefined): string | undefined {
  if (before === undefined) return 'created';
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
