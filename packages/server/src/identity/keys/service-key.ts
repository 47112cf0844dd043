import { secretToken } from '../../lib/ids.ts';
import type { Key, Put, Scope } from '../../store/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import { secretHash } from './key-uses.ts';

/**
 * What the org keeps of a key. The way in is an item of its own, under the hash of the secret, and there only while the
 * key is `ready`: a key of which half is made or removed opens nothing.
 */
export interface ServiceKey {
  /** Also of its principal in the workspace. */
  readonly id: string;
  readonly name: string;
  readonly state: 'making' | 'ready' | 'removing';
  readonly tenant_id: string;
  readonly tenant_code: string;
  readonly email: string;
  /** Since when the principal is a member: `''` while it is not. */
  readonly member_since: string;
  readonly secret_hash: string;
  readonly created_at: string;
  /** The org user. */
  readonly created_by: string;
  readonly expires_at: string | null;
}

export const keysPartition = 'service-key';
export const keysPerWorkspaceMax = 100;

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

export function keyRow(id: string): Key {
  return { pk: keysPartition, sk: id };
}

export function keyRowPut(key: ServiceKey, condition: Put['if']): Put {
  return { kind: 'put', ...keyRow(key.id), value: JSON.stringify(key), if: condition };
}

/** The way in. */
export function keyEntry(secret_hash: string): Key {
  return { pk: 'service-key-hash', sk: secret_hash };
}

export function keyCount(tenantId: string): Key {
  return { pk: 'service-key-count', sk: tenantId };
}

export function keyUse(id: string): Key {
  return { pk: 'service-key-use', sk: id };
}

/** Whether a key lets a server in at this moment. */
export function isOpenKey({ state, expires_at }: ServiceKey, now: number): boolean {
  return state === 'ready' && (expires_at === null || Date.parse(expires_at) > now);
}

export async function findKeyId(orgScope: Scope, secret: string): Promise<string | undefined> {
  const [entry] = await orgScope.get([keyEntry(secretHash(secret))]);
  return entry === undefined ? undefined : (JSON.parse(entry.value) as { readonly id: string }).id;
}

export async function findReadyKey(orgScope: Scope, secret: string, id: string): Promise<ServiceKey | undefined> {
  const [entry, row] = await orgScope.get([keyEntry(secretHash(secret)), keyRow(id)]);
  return entry === undefined || row === undefined ? undefined : (JSON.parse(row.value) as ServiceKey);
}
