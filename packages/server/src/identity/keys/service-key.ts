import { secretHash, secretToken } from '../../lib/ids.ts';
import type { Scope } from '../../store/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import { type KeyRow, keyRows } from './key-rows.ts';

/**
 * What the org keeps of a key. The way in is an item of its own, under the hash of the secret, and there only while the
 * key is `ready`: a key of which half is made or removed opens nothing.
 */
export interface ServiceKey extends KeyRow {
  /** Also of its principal in the workspace. */
  readonly id: string;
  readonly state: 'making' | 'ready' | 'removing';
  readonly tenant_id: string;
  readonly tenant_code: string;
  readonly email: string;
  /** Since when the principal is a member: `''` while it is not. */
  readonly member_since: string;
}

export const keysPartition = 'service-key';
export const keysPerWorkspaceMax = 100;

export const serviceKeys = keyRows<string, ServiceKey, { readonly id: string }>({
  kind: 'service-key',
  ownedMax: keysPerWorkspaceMax,
  keyOf: (id) => ({ pk: keysPartition, sk: id }),
});

export function newSecret(env: Environment): string {
  return `fhk_${env}_${secretToken()}`;
}

const form = /^fhk_(test|prod)_[\w-]{43}$/;

/** Whether a text can only be meant as a service key. */
export function isServiceKey(token: string): boolean {
  return token.startsWith('fhk_');
}

/** Undefined for a text that no key has. */
export function environmentOfKey(secret: string): Environment | undefined {
  const env = form.exec(secret)?.[1];
  return env === 'test' || env === 'prod' ? env : undefined;
}

/** Whether a key lets a server in at this moment. */
export function isOpenKey({ state, expires_at }: ServiceKey, now: number): boolean {
  return state === 'ready' && (expires_at === null || Date.parse(expires_at) > now);
}

export async function findKeyId(orgScope: Scope, secret: string): Promise<string | undefined> {
  return (await serviceKeys.entries.read(orgScope, secretHash(secret)))?.value.id;
}

export async function findReadyKey(orgScope: Scope, secret: string, id: string): Promise<ServiceKey | undefined> {
  const [entry, row] = await orgScope.get([serviceKeys.entries.key(secretHash(secret)), serviceKeys.rows.key(id)]);
  return entry === undefined ? undefined : serviceKeys.rows.row(orgScope, row)?.value;
}
