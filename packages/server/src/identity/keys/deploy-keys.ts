import { type Audited, type Occasion, platformAuditEntry } from '../../audit/audit-entry.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { type IdSource, secretToken } from '../../lib/ids.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import { type Change, type Condition, Conflict, type Key, type Scope } from '../../store/port.ts';
import { isId } from '../org-users/account.ts';
import { findOrg, type Org } from '../org-users/org-directory.ts';
import { createKeyUses, secretHash } from './key-uses.ts';
import { type DeployKeyScope, readDeployKey } from './read-deploy-key.ts';

export type { DeployKeyScope };

/** Keys for pipelines: each may publish, or activate, and opens nothing else. */
export interface DeployKeys {
  list(orgCode: string): Promise<readonly ShownDeployKey[]>;
  /** The key itself is told this once. @throws Problem `validation_failed`, `unknown_field`, `conflict`. */
  create(asked: AskedKeys, body: unknown): Promise<CreatedDeployKey>;
  /** Ends it at once. @throws Problem `not_found`. */
  remove(asked: AskedKeys, id: string): Promise<void>;
  /** Whose key this is; undefined where it is none, or none any more. */
  authenticate(secret: string): Promise<KnownDeployKey | undefined>;
}

export interface AskedKeys {
  readonly orgCode: string;
  readonly occasion: Occasion;
}

interface DeployKey {
  readonly id: string;
  readonly name: string;
  readonly scope: DeployKeyScope;
  readonly created_at: string;
  readonly created_by: string;
  readonly expires_at: string | null;
}

interface StoredDeployKey extends DeployKey {
  readonly secret_hash: string;
}

export interface ShownDeployKey extends DeployKey {
  readonly last_used_at: string | null;
}

export interface CreatedDeployKey extends DeployKey {
  readonly key: string;
}

export interface KnownDeployKey extends Pick<DeployKey, 'id' | 'scope'> {
  readonly org: Org;
}

export interface DeployKeysParts {
  readonly platform: Scope;
  readonly clock: Clock;
  readonly newId: IdSource;
}

/** Whether a text can only be meant as a deploy key. */
export function isDeployKey(token: string): boolean {
  return token.startsWith(keyStart);
}

const keyStart = 'fhd_';
const keysPerOrgMax = 50;

export function createDeployKeys(parts: DeployKeysParts): DeployKeys {
  const { platform } = parts;
  const uses = createKeyUses(parts.clock);
  return {
    list: (orgCode) => listKeys(platform, orgCode),
    create: (asked, body) => createKey(parts, asked, body),
    remove: (asked, id) => removeKey(platform, asked, id),
    authenticate: async (secret) => {
      const [entry] = await platform.get([keyEntry(secretHash(secret))]);
      if (entry === undefined) return undefined;
      const { id, org: orgCode } = JSON.parse(entry.value) as KeyEntry;
      const [row] = await platform.get([keyRow(orgCode, id)]);
      const org = await findOrg(platform, orgCode);
      if (row === undefined || org === undefined) return undefined;
      uses.seen(platform, { id, row: keyRow(orgCode, id), use: keyUse(id) });
      return { id, scope: (JSON.parse(row.value) as StoredDeployKey).scope, org };
    },
  };
}

interface KeyEntry {
  readonly id: string;
  readonly org: string;
}

/** The way in, by the hash of the secret: a copy of the store opens nothing. */
function keyEntry(secret_hash: string): Key {
  return { pk: 'deploy-key-hash', sk: secret_hash };
}

function keyRow(orgCode: string, id: string): Key {
  return { pk: `deploy-key;${orgCode}`, sk: id };
}

function keyUse(id: string): Key {
  return { pk: 'deploy-key-use', sk: id };
}

function keyCount(orgCode: string): Key {
  return { pk: 'deploy-key-count', sk: orgCode };
}

async function listKeys(platform: Scope, orgCode: string): Promise<readonly ShownDeployKey[]> {
  const rows = await platform.range(keyRow(orgCode, '').pk, { limit: keysPerOrgMax });
  const uses = await platform.get(rows.map(({ sk }) => keyUse(sk)));
  return rows.map(({ value }, index) => {
    const { secret_hash: _, ...key } = JSON.parse(value) as StoredDeployKey;
    const use = uses[index];
    return { ...key, last_used_at: use === undefined ? null : (JSON.parse(use.value) as { readonly at: string }).at };
  });
}

async function createKey(
  { platform, clock, newId }: DeployKeysParts,
  asked: AskedKeys,
  body: unknown,
): Promise<CreatedDeployKey> {
  const { orgCode, occasion } = asked;
  const { name, scope, expires_at } = readDeployKey(body, clock.now());
  const secret = `${keyStart}${secretToken()}`;
  const created_at = timestamp(clock.now());
  const key: DeployKey = { id: newId(), name, scope, created_at, created_by: occasion.actor.id, expires_at };
  const stored: StoredDeployKey = { ...key, secret_hash: secretHash(secret) };
  const entry: KeyEntry = { id: key.id, org: orgCode };
  try {
    await platform.commit([
      { kind: 'add', ...keyCount(orgCode), by: 1, max: keysPerOrgMax },
      { kind: 'put', ...keyRow(orgCode, key.id), value: JSON.stringify(stored), if: 'absent' },
      { kind: 'put', ...keyEntry(stored.secret_hash), value: JSON.stringify(entry), if: 'absent', ...endOf(key) },
      platformAuditEntry(orgCode, occasion, audited('deploy_key.created', key)),
    ]);
  } catch (error) {
    if (!(error instanceof Conflict)) {
      // It may stand all the same, and nobody would ever know its secret.
      await platform.commit(removal(orgCode, { ...stored, if: 'present' })).catch(() => undefined);
      throw error;
    }
    throw new Problem('conflict', `an org has at most ${keysPerOrgMax} deploy keys: remove some`);
  }
  return { ...key, key: secret };
}

/** The row stays, for who wonders why a pipeline is not let in any more. */
function endOf({ expires_at }: DeployKey) {
  return expires_at === null ? {} : { due: { at: Date.parse(expires_at), queue: 'expire' } as const };
}

async function removeKey(platform: Scope, { orgCode, occasion }: AskedKeys, id: string): Promise<void> {
  const [row] = isId(id) ? await platform.get([keyRow(orgCode, id)]) : [];
  if (row === undefined) throw notFound();
  const key = JSON.parse(row.value) as StoredDeployKey;
  try {
    await platform.commit([
      ...removal(orgCode, { ...key, if: { version: row.version } }),
      platformAuditEntry(orgCode, occasion, audited('deploy_key.removed', key)),
    ]);
  } catch (error) {
    if (error instanceof Conflict) throw notFound();
    throw error;
  }
}

function removal(
  orgCode: string,
  key: Pick<StoredDeployKey, 'id' | 'secret_hash'> & { readonly if: Condition },
): readonly Change[] {
  return [
    { kind: 'remove', ...keyRow(orgCode, key.id), if: key.if },
    { kind: 'remove', ...keyEntry(key.secret_hash), if: 'any' },
    { kind: 'remove', ...keyUse(key.id), if: 'any' },
    { kind: 'add', ...keyCount(orgCode), by: -1, min: 0 },
  ];
}

function audited(action: string, { id, name, scope }: DeployKey): Audited {
  return { action, target: { kind: 'deploy_key', id, name }, detail: { scope } };
}
