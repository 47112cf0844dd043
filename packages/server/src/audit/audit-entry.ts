import { chainHeads, readLink } from '../store/chain.ts';
import type { Append, Item, Key } from '../store/port.ts';
import type { Environment } from '../tenancy/port.ts';

/**
 * The kinds of actors: a builder, a server or a pipeline that holds a key, the operator, an app's user, or the platform
 * of its own accord.
 */
export const actorKinds = [
  'org_user',
  'service_key',
  'deploy_key',
  'operator',
  'app_user',
  'automation',
  'platform',
] as const;

export interface AuditActor {
  readonly kind: (typeof actorKinds)[number];
  readonly id: string;
}

/** The platform of its own accord. */
export const platformActor = { kind: 'platform', id: 'platform' } as const;

/** By whom, when and in answer to which request something is done. */
export interface AuditContext {
  readonly at: string;
  readonly actor: AuditActor;
  readonly request_id: string;
}

/** By whom and in answer to which request something is asked for. */
export type AuditCaller = Pick<AuditContext, 'actor' | 'request_id'>;

/**
 * INVARIANT: ids, names of configuration, counts, and the reason that a builder states; never an email, a secret or the
 * value of a field.
 */
export interface Audited {
  /** The action and the kind of its target, as `service_key.created`. */
  readonly action: string;
  readonly target?: { readonly kind: string; readonly id: string; readonly name?: string };
  readonly env?: Environment;
  readonly tenant_code?: string;
  readonly detail?: Readonly<Record<string, string | number | boolean>>;
}

export interface AuditEntry extends AuditContext, Audited {}

/** An entry of an action in an org's own scope. It belongs into the commit of the change that it records. */
export function auditEntry(auditContext: AuditContext, audited: Audited): Append {
  return entryIn(orgAudit, auditContext, audited);
}

/** The same for what is done to an org in the scope of the platform. */
export function platformAuditEntry(orgCode: string, auditContext: AuditContext, audited: Audited): Append {
  return entryIn(platformAudit(orgCode), auditContext, audited);
}

/** The partition of the entries in the scope of an org, in those of its workspaces, and of the operator's. */
export const orgAudit = 'audit';

/** The partition of an org's entries in the scope of the platform. */
export function platformAudit(orgCode: string): string {
  return `audit;${orgCode}`;
}

function entryIn(pk: string, { at, actor, request_id }: AuditContext, audited: Audited): Append {
  const entry: AuditEntry = { at, actor, request_id, ...audited };
  return { kind: 'append', pk, value: JSON.stringify(entry), isChained: true };
}

/** Undefined if the stored text is not an entry, because it was written from outside; a verification reports it. */
export function readEntry(item: Pick<Item, 'value'>): AuditEntry | undefined {
  try {
    const entry: unknown = JSON.parse(readLink(item)?.text ?? '');
    return isEntry(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

function isEntry(value: unknown): value is AuditEntry {
  if (typeof value !== 'object' || value === null || !('at' in value && 'action' in value && 'actor' in value))
    return false;
  const { at, action, actor } = value;
  return typeof at === 'string' && typeof action === 'string' && typeof actor === 'object' && actor !== null;
}

export function isAuditPartition(pk: string): boolean {
  return pk === orgAudit || pk.startsWith(`${orgAudit};`);
}

/** Whether an item outlives its workspace: the entries, and the heads of their chains, do. */
export function isOfAudit({ pk }: Key): boolean {
  return isAuditPartition(pk) || pk === chainHeads;
}
