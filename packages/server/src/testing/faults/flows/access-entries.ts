/**
 * Whether each change of a record of access control has its audit entry in the commit that makes it, wherever that is
 * written.
 */
import { type AuditEntry, isAuditPartition } from '../../../audit/audit-entry.ts';
import type { Append, Change } from '../../../store/port.ts';

export function isEntry(change: Change): change is Append {
  return change.kind === 'append' && isAuditPartition(change.pk);
}

export function entriesOf(changes: readonly Change[]): readonly AuditEntry[] {
  return changes.filter(isEntry).map(({ value }) => JSON.parse(value));
}

/** Whether a change tells of a record of access control. */
export function isOfAccess(change: Change): change is Append {
  return entriesOf([change]).some(({ target }) => Object.values(kinds).includes(target?.kind ?? ''));
}

type RecordFields = Readonly<Record<string, unknown>>;

/** A record before a commit and after it. */
interface AccessChange {
  readonly entity: string;
  readonly workspace: string;
  readonly before: RecordFields | undefined;
  readonly after: RecordFields | undefined;
}

const kinds: Readonly<Record<string, string>> = {
  aclpolicy: 'policy',
  group: 'group',
  useraclpolicy: 'policy_link',
  usergroup: 'group_link',
  user: 'member',
};

/** What a link goes with, when that is removed. */
const ends: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  policy_link: { 'member.removed': 'user_id', 'policy.removed': 'acl_policy_id' },
  group_link: { 'member.removed': 'user_id', 'group.removed': 'group_id' },
};

/** Looks at all commits of a platform, from its first one on. */
export class AccessWitness {
  readonly #records = new Map<string, RecordFields>();
  readonly #removedWorkspaces = new Set<string>();
  #seen = 0;
  readonly faults: string[] = [];

  /** How many changes of access it has held to their entries. */
  get seen(): number {
    return this.#seen;
  }

  look(changes: readonly Change[]): void {
    const entries = entriesOf(changes);
    for (const { action, tenant_code = '' } of entries)
      if (action === 'workspace.removed') this.#removedWorkspaces.add(tenant_code);
    const made = changes.map((change) => this.#take(change)).filter((one) => one !== undefined);
    const auditEntries = new Set<AuditEntry>();
    for (const one of made) {
      this.#seen += 1;
      const own = entries.filter((entry) => describes(entry, one));
      for (const entry of own) auditEntries.add(entry);
      if (own.length > 1 || (own.length === 0 && !entries.some((entry) => takesAlong(entry, one))))
        this.faults.push(`${own.length} entries tell of ${JSON.stringify(one)}`);
    }
    for (const entry of entries)
      if (Object.values(kinds).includes(entry.target?.kind ?? '') && !auditEntries.has(entry))
        this.faults.push(`nothing is done of what ${JSON.stringify(entry)} tells`);
  }

  /** Undefined where the change leaves access as it was, or clears away a workspace whose removal was recorded. */
  #take(change: Change): AccessChange | undefined {
    if (change.kind !== 'put' && change.kind !== 'remove') return undefined;
    const [, workspace = '', entity = ''] = /^org#[^-;]+-([^;]+);data#(.+)$/.exec(change.pk) ?? [];
    if (kinds[entity] === undefined) return undefined;
    const place = `${change.pk} ${change.sk}`;
    const before = this.#records.get(place);
    const after: RecordFields | undefined = change.kind === 'put' ? JSON.parse(change.value) : undefined;
    if (after === undefined) this.#records.delete(place);
    else this.#records.set(place, after);
    if (after === undefined && this.#removedWorkspaces.has(workspace)) return undefined;
    const isSameMember = before?.role === after?.role && before?.status === after?.status;
    if (entity === 'user' && before !== undefined && after !== undefined && isSameMember) return undefined;
    return { entity, workspace, before, after };
  }
}

function describes({ action, target, detail, tenant_code }: AuditEntry, one: AccessChange): boolean {
  const { entity, workspace, before, after } = one;
  const [kind, record] = [kinds[entity] ?? '', after ?? before];
  const fields = Object.values(ends[kind] ?? {});
  return (
    target?.kind === kind &&
    target.id === record?.id &&
    tenant_code === workspace &&
    doneTo(one).some((done) => action === `${kind}.${done}`) &&
    fields.every((name) => detail?.[name] === record?.[name])
  );
}

function doneTo({ entity, before, after }: AccessChange): readonly string[] {
  if (before === undefined) return [entity === 'user' ? 'joined' : 'created'];
  if (after === undefined) return ['removed'];
  return entity === 'user' ? ['role_changed', 'suspended', 'reactivated'] : ['changed'];
}

function takesAlong({ action, target }: AuditEntry, { entity, before, after }: AccessChange): boolean {
  const field = ends[kinds[entity] ?? '']?.[action];
  return after === undefined && field !== undefined && before?.[field] === target?.id;
}
