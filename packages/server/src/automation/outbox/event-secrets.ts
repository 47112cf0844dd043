/** The secrets that sign what is sent. They are derived, so that none lies in the store. */
import { createHmac } from 'node:crypto';
import type { deliveriesApi } from '@freehold/contract/management/deliveries';
import type { ReplyOf } from '@freehold/contract/route';
import { type AuditContext, auditEntry } from '../../audit/audit-entry.ts';
import { timestamp } from '../../lib/clock.ts';
import type { IdSource } from '../../lib/ids.ts';
import { secretText } from '../../lib/network/signature.ts';
import type { Scope } from '../../store/port.ts';
import { asRead, json, table } from '../../store/table.ts';
import { transact } from '../../store/transact.ts';
import type { OrgPlace } from '../automation-deps.ts';

interface StoredEventSecret {
  readonly id: string;
  readonly created_at: string;
  /** The secret before it signs along until then; milliseconds since the epoch. */
  readonly previous?: { readonly id: string; readonly until: number };
}

const eventSecrets = table(
  (event: string) => ({ pk: 'event-secret', sk: event }),
  json<StoredEventSecret>('secret of an event', { id: 'string', created_at: 'string' }),
);

const rotationMilliseconds = 24 * 3600 * 1000;

/** Signs for events without a secret. */
const firstId = '';

function keyOf(root: Buffer, { env, orgCode }: OrgPlace, event: string, id: string): Buffer {
  return createHmac('sha256', root)
    .update(JSON.stringify([env, orgCode, event, id]))
    .digest();
}

/** The keys that sign now, the present one first. */
export async function signingKeys(
  root: Buffer,
  { scope, now, ...place }: OrgPlace & { readonly scope: Scope; readonly now: number },
  event: string,
): Promise<readonly Buffer[]> {
  const secret = (await eventSecrets.read(scope, event))?.value;
  const previous = secret?.previous;
  const ids = [secret?.id ?? firstId, ...(previous !== undefined && now < previous.until ? [previous.id] : [])];
  return ids.map((id) => keyOf(root, place, event, id));
}

export interface EventSecretCommand extends OrgPlace {
  readonly auditContext: AuditContext;
  readonly event: string;
}

export async function showSecret(scope: Scope, event: string): Promise<ReplyOf<typeof deliveriesApi.showEventSecret>> {
  const secret = (await eventSecrets.read(scope, event))?.value;
  const until = secret?.previous?.until;
  return { created_at: secret?.created_at ?? null, previous_until: until === undefined ? null : timestamp(until) };
}

/** Puts a new secret in the place of the present one, which signs along for a while. */
export async function makeSecret(
  { scope, root, newId }: { readonly scope: Scope; readonly root: Buffer; readonly newId: IdSource },
  { auditContext, event, ...place }: EventSecretCommand,
): Promise<ReplyOf<typeof deliveriesApi.makeEventSecret>> {
  const { at: created_at } = auditContext;
  const id = newId();
  const until = Date.parse(created_at) + rotationMilliseconds;
  await transact(scope, async () => {
    const row = await eventSecrets.read(scope, event);
    const stored = { id, created_at, previous: { id: row?.value.id ?? firstId, until } };
    const target = { kind: 'event', id: event };
    const entry = auditEntry(auditContext, { action: 'event.secret_made', target, env: place.env });
    return { changes: [eventSecrets.put(event, stored, { if: asRead(row) }), entry] };
  });
  return { secret: secretText(keyOf(root, place, event, id)), created_at, previous_until: timestamp(until) };
}
