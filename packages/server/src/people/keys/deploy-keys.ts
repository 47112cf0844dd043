import type { deployApi } from '@freehold/contract/management/deploy';
import type { BodyOf } from '@freehold/contract/route';
import { type Audited, platformAuditEntry } from '../../audit/audit-entry.ts';
import { timestamp } from '../../lib/clock.ts';
import { secretHash, secretToken } from '../../lib/ids.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import { mayBeId } from '../../records/port.ts';
import type { Due, Scope } from '../../store/port.ts';
import { asRead } from '../../store/table.ts';
import { tryCommit } from '../../store/transact.ts';
import { findOrg, type Org, type OrgCommand } from '../org-users/org-directory.ts';
import type { Parts } from '../parts.ts';
import { createKeyUses, type KeyRow, keyRows, readExpiry } from './key-rows.ts';

type NewDeployKey = BodyOf<typeof deployApi.createDeployKey>;
/** The scope of a deploy key. */
export type DeployKeyScope = NewDeployKey['scope'];

interface StoredDeployKey extends KeyRow {
  readonly scope: DeployKeyScope;
}

type DeployKey = Omit<StoredDeployKey, 'secret_hash'>;

export interface ResolvedDeployKey extends Pick<DeployKey, 'id' | 'scope'> {
  readonly org: Org;
}

type DeployKeysDeps = Pick<Parts, 'platform' | 'clock' | 'newId'>;

/** Whether a text can only be meant as a deploy key. */
export function isDeployKey(token: string): boolean {
  return token.startsWith(keyStart);
}

const keyStart = 'fhd_';
const keysPerOrgMax = 50;

export type DeployKeys = ReturnType<typeof createDeployKeys>;

/** Keys for pipelines: each may publish, or activate, and opens nothing else. */
export function createDeployKeys(deps: DeployKeysDeps) {
  const { platform } = deps;
  const uses = createKeyUses(deps.clock);
  return {
    list: (orgCode: string) => listKeys(platform, orgCode),
    /** The key itself is shown this once. @throws Problem `validation_failed`, `conflict`. */
    create: (command: OrgCommand, body: NewDeployKey) => createKey(deps, command, body),
    /** Ends it at once. @throws Problem `not_found`. */
    remove: (command: OrgCommand, id: string) => removeKey(platform, command, id),
    /** Whose key this is; undefined where it is none, or none any more. */
    authenticate: async (secret: string): Promise<ResolvedDeployKey | undefined> => {
      const entry = await deployKeys.entries.read(platform, secretHash(secret));
      if (entry === undefined) return undefined;
      const { id, org: orgCode } = entry.value;
      const key = await deployKeys.rows.read(platform, [orgCode, id]);
      const org = await findOrg(platform, orgCode);
      if (key === undefined || org === undefined) return undefined;
      uses.seen(platform, deployKeys.use([orgCode, id], id));
      return { id, scope: key.value.scope, org };
    },
  };
}

interface KeyEntry {
  readonly id: string;
  readonly org: string;
}

const partition = (orgCode: string): string => `deploy-key;${orgCode}`;

const deployKeys = keyRows<readonly [orgCode: string, id: string], StoredDeployKey, KeyEntry>({
  kind: 'deploy-key',
  ownedMax: keysPerOrgMax,
  keyOf: ([orgCode, id]) => ({ pk: partition(orgCode), sk: id }),
});

async function listKeys(
  platform: Scope,
  orgCode: string,
): Promise<readonly (DeployKey & { readonly last_used_at: string | null })[]> {
  const rows = await deployKeys.rows.range(platform, partition(orgCode), { limit: keysPerOrgMax });
  const uses = await deployKeys.lastUses(
    platform,
    rows.map(({ sk }) => sk),
  );
  return rows.map(({ value: { secret_hash: _, ...key } }, index) => ({ ...key, last_used_at: uses[index] ?? null }));
}

async function createKey(
  { platform, clock, newId }: DeployKeysDeps,
  command: OrgCommand,
  wanted: NewDeployKey,
): Promise<DeployKey & { readonly key: string }> {
  const { orgCode, auditContext } = command;
  const expires_at = readExpiry(wanted.expires_at, clock.now());
  const { scope } = wanted;
  const name = wanted.name.trim();
  const secret = `${keyStart}${secretToken()}`;
  const created_at = timestamp(clock.now());
  const key: DeployKey = { id: newId(), name, scope, created_at, created_by: auditContext.actor.id, expires_at };
  const stored: StoredDeployKey = { ...key, secret_hash: secretHash(secret) };
  const isMade = await tryCommit(platform, [
    deployKeys.counted(orgCode),
    deployKeys.rows.insert([orgCode, key.id], stored),
    deployKeys.entries.insert(stored.secret_hash, { id: key.id, org: orgCode }, endOf(key)),
    platformAuditEntry(orgCode, auditContext, audited('deploy_key.created', key)),
  ]).catch(async (error: unknown) => {
    // The row may be stored all the same, and no caller would ever learn its secret.
    await platform.commit(deployKeys.ended([orgCode, key.id], stored, orgCode, 'present')).catch(() => undefined);
    throw error;
  });
  if (isMade) return { ...key, key: secret };
  throw new Problem('conflict', `an org has at most ${keysPerOrgMax} deploy keys: remove some`);
}

/** The row stays, for an owner who asks why a pipeline is not let in any more. */
function endOf({ expires_at }: DeployKey): Due | undefined {
  return expires_at === null ? undefined : { at: Date.parse(expires_at), queue: 'expire' };
}

async function removeKey(platform: Scope, { orgCode, auditContext }: OrgCommand, id: string): Promise<void> {
  const row = mayBeId(id) ? await deployKeys.rows.read(platform, [orgCode, id]) : undefined;
  if (row === undefined) throw notFound();
  const isRemoved = await tryCommit(platform, [
    ...deployKeys.ended([orgCode, id], row.value, orgCode, asRead(row)),
    platformAuditEntry(orgCode, auditContext, audited('deploy_key.removed', row.value)),
  ]);
  if (!isRemoved) throw notFound();
}

function audited(action: string, { id, name, scope }: DeployKey): Audited {
  return { action, target: { kind: 'deploy_key', id, name }, detail: { scope } };
}
