import type { serviceKeysApi } from '@freehold/contract/management/service-keys';
import type { BodyOf } from '@freehold/contract/route';
import { type AuditCaller, type Audited, auditEntry } from '../../audit/audit-entry.ts';
import type { ConfigReader } from '../../config/port.ts';
import {
  type FoundingMember,
  findMember,
  type GrantDeps,
  joiningChanges,
  policyIdByName,
  servicePrincipal,
  serviceRole,
} from '../../iam/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { secretHash, secretToken } from '../../lib/ids.ts';
import { invalidInput, notFound, Problem } from '../../lib/problem.ts';
import { mayBeId, type RecordRuntime } from '../../records/port.ts';
import { systemEntity } from '../../schema/port.ts';
import type { Scope } from '../../store/port.ts';
import { transact, tryCommit } from '../../store/transact.ts';
import {
  type Environment,
  findWorkspace,
  isThere,
  openWorkspace,
  orgScopeName,
  readHead,
  type Workspace,
} from '../../tenancy/port.ts';
import { tokensKeyOf } from '../app-tokens.ts';
import type { OrgUserCommand } from '../org-users/account.ts';
import type { OrgCommand } from '../org-users/org-directory.ts';
import type { Parts } from '../parts.ts';
import { type KeyRow, keyRows, readExpiry } from './key-rows.ts';

/**
 * The org's record of a key. The way in is an item of its own, under the hash of the secret, and there only while the
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

const keysPartition = 'service-key';
export const keysPerWorkspaceMax = 100;

export const serviceKeys = keyRows<string, ServiceKey, { readonly id: string }>({
  kind: 'service-key',
  ownedMax: keysPerWorkspaceMax,
  keyOf: (id) => ({ pk: keysPartition, sk: id }),
});

function newSecret(env: Environment): string {
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

/** Whether the server of a key may call at this moment. */
export async function hasOpenKey(orgScope: Scope, id: string, now: number): Promise<boolean> {
  const row = await serviceKeys.rows.read(orgScope, id);
  return row !== undefined && isOpenKey(row.value, now);
}

export async function findKeyId(orgScope: Scope, secret: string): Promise<string | undefined> {
  return (await serviceKeys.entries.read(orgScope, secretHash(secret)))?.value.id;
}

export async function findReadyKey(orgScope: Scope, secret: string, id: string): Promise<ServiceKey | undefined> {
  const [entry, row] = await orgScope.get([serviceKeys.entries.key(secretHash(secret)), serviceKeys.rows.key(id)]);
  return entry === undefined ? undefined : serviceKeys.rows.row(orgScope, row)?.value;
}

type NewServiceKey = BodyOf<typeof serviceKeysApi.createServiceKey>;

interface KeyQuery {
  readonly env: Environment;
  readonly pageSize: number;
  readonly nexttoken: string | undefined;
}

interface ResolvedServiceKey extends Pick<ServiceKey, 'id' | 'name' | 'tenant_code' | 'created_at' | 'expires_at'> {
  readonly env: Environment;
}

type ServiceKeysDeps = PrincipalDeps & Pick<Parts, 'stores' | 'cursors' | 'revocations'>;

export type ServiceKeys = ReturnType<typeof createServiceKeys>;

/** The keys by which an org's servers call its app: each is a principal of one workspace, with policies of its own. */
export function createServiceKeys(deps: ServiceKeysDeps) {
  return {
    list: (orgCode: string, query: KeyQuery) => listKeys(deps, orgCode, query),
    /** @throws Problem `validation_failed`, `not_found`, `conflict`. */
    create: (command: OrgCommand, wanted: NewServiceKey) => createKey(deps, command, wanted),
    /** Ends a key at once; may be repeated until nothing of it is left. @throws Problem `not_found`. */
    remove: (command: OrgUserCommand) => removeKey(deps, command),
  };
}

async function listKeys({ stores, cursors }: ServiceKeysDeps, orgCode: string, query: KeyQuery) {
  const { env, pageSize, nexttoken } = query;
  const binding = ['service-keys', orgCode, env];
  const orgScope = stores[env].scope(orgScopeName(orgCode));
  const after = nexttoken === undefined ? {} : { after: cursors.open(nexttoken, binding) };
  const rows = await serviceKeys.rows.range(orgScope, keysPartition, { ...after, limit: pageSize + 1 });
  const shown = rows.slice(0, pageSize);
  const uses = await serviceKeys.lastUses(
    orgScope,
    shown.map(({ sk }) => sk),
  );
  const last = rows.length > pageSize ? shown.at(-1) : undefined;
  return {
    items: shown.map(({ value }, index) => show(env, value, uses[index] ?? null)),
    nexttoken: last === undefined ? null : cursors.seal(last.sk, binding),
  };
}

function show(env: Environment, key: ServiceKey, last_used_at: string | null) {
  return { ...known(env, key), state: key.state, created_by: key.created_by, last_used_at };
}

function known(env: Environment, { id, name, tenant_code, created_at, expires_at }: ServiceKey): ResolvedServiceKey {
  return { id, env, tenant_code, name, created_at, expires_at };
}

/** The row comes first, then its grants, and the way in last: a key cut off on the way opens nothing. */
async function createKey(deps: ServiceKeysDeps, command: OrgCommand, wanted: NewServiceKey) {
  const { orgCode, auditContext } = command;
  const { env } = wanted;
  const name = wanted.name.trim();
  const policies = [...new Set(wanted.policies)];
  const expires_at = readExpiry(wanted.expires_at, deps.clock.now());
  const workspace = await findWorkspace(deps.stores, { env, orgCode, tenantCode: wanted.tenant_code });
  const member = servicePrincipal(deps.newId(), name);
  const secret = newSecret(env);
  const key: ServiceKey = {
    id: member.id,
    name,
    state: 'making',
    tenant_id: workspace.tenantId,
    tenant_code: workspace.tenantCode,
    email: member.email,
    member_since: '',
    secret_hash: secretHash(secret),
    created_at: timestamp(deps.clock.now()),
    created_by: auditContext.actor.id,
    expires_at,
  };
  const orgScope = deps.stores[env].scope(orgScopeName(orgCode));
  const version = await intend(orgScope, key);
  try {
    const member_since = await joinAsServer(deps, workspace, { member, policies, auditCaller: auditContext });
    const isReady = await tryCommit(orgScope, [
      serviceKeys.rows.put(key.id, { ...key, state: 'ready', member_since }, { if: { version } }),
      serviceKeys.entries.insert(key.secret_hash, { id: key.id }),
      auditEntry(auditContext, keyAudited('service_key.created', env, key)),
    ]);
    if (!isReady) throw new Problem('conflict', 'the key was removed while it was made');
  } catch (error) {
    await leaveAsServer(deps, workspace, { id: key.id, auditCaller: auditContext });
    await forget(orgScope, key);
    throw error;
  }
  return { ...known(env, key), key: secret, policies };
}

/** The count is of all that there is of keys, whatever their state. */
async function intend(orgScope: Scope, key: ServiceKey): Promise<number> {
  const refused = (): never => {
    throw new Problem('conflict', `a workspace has at most ${keysPerWorkspaceMax} service keys: remove some`);
  };
  const changes = [serviceKeys.counted(key.tenant_id), serviceKeys.rows.insert(key.id, key)];
  const { committed } = await transact(orgScope, async () => ({ changes, refused }));
  return committed === undefined ? refused() : committed.seq;
}

/** The way in goes first, at once on this node; whatever is cut off after that can be done again. */
async function removeKey(deps: ServiceKeysDeps, command: OrgUserCommand): Promise<void> {
  const { orgCode, id } = command;
  for (const env of ['test', 'prod'] as const) {
    const orgScope = deps.stores[env].scope(orgScopeName(orgCode));
    const key = await shut(orgScope, env, command);
    if (key === undefined) continue;
    deps.revocations.bump(tokensKeyOf({ env, org: orgCode, sub: id }));
    const tenant = { id: key.tenant_id, code: key.tenant_code };
    await leaveAsServer(deps, openWorkspace(deps, { env, orgCode }, tenant), { id, auditCaller: command.auditContext });
    await forget(orgScope, key);
    return;
  }
  throw notFound();
}

/** A key that opens nothing from here on. Undefined where there is none. */
async function shut(
  orgScope: Scope,
  env: Environment,
  { id, auditContext }: OrgUserCommand,
): Promise<ServiceKey | undefined> {
  const plan = async () => {
    const row = mayBeId(id) ? await serviceKeys.rows.read(orgScope, id) : undefined;
    const key = row?.value;
    if (row === undefined || key === undefined || key.state === 'removing') return { key, changes: [] };
    const changes = [
      serviceKeys.rows.replace(row, { ...key, state: 'removing' }),
      serviceKeys.entries.remove(key.secret_hash, 'any'),
      auditEntry(auditContext, keyAudited('service_key.removed', env, key)),
    ];
    return { key, changes };
  };
  return (await transact(orgScope, plan, { attemptsMax: Number.POSITIVE_INFINITY })).planned.key;
}

/** The last of a key, once its principal is gone; of several who do it, one does. */
async function forget(orgScope: Scope, key: ServiceKey): Promise<void> {
  await tryCommit(orgScope, serviceKeys.ended(key.id, key, key.tenant_id, 'present'));
}

function keyAudited(action: string, env: Environment, { id, name, tenant_code }: ServiceKey): Audited {
  return { action, target: { kind: 'service_key', id, name }, env, tenant_code };
}

interface PrincipalDeps extends GrantDeps {
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly runtime: Pick<RecordRuntime, 'remove'>;
}

interface JoiningMember {
  readonly member: FoundingMember;
  readonly policies: readonly string[];
  readonly auditCaller: AuditCaller;
}

/**
 * Makes a server a member of a workspace, who holds these policies and no others.
 * @returns since when. @throws Problem `not_found`, `validation_failed` naming the policies that there are not.
 */
async function joinAsServer(
  deps: PrincipalDeps,
  workspace: Workspace,
  { member, policies, auditCaller }: JoiningMember,
): Promise<string> {
  const { scope } = workspace;
  await transact(scope, async () => {
    if ((await readHead(scope))?.id !== workspace.tenantId) throw notFound();
    const policyIds = await policyIdsOf(scope, policies);
    const joining = await joiningChanges(deps, workspace, { member, policyIds, role: serviceRole, auditCaller });
    return { changes: [isThere, ...joining] };
  });
  const joined = await findMember(workspace, member.id);
  if (joined === undefined) throw new Problem('conflict', 'the key was removed from the workspace meanwhile');
  return joined.data.created_at;
}

/** Ends the membership, where the workspace is still there and the server in it. */
async function leaveAsServer(
  deps: PrincipalDeps,
  workspace: Workspace,
  { id, auditCaller }: { readonly id: string; readonly auditCaller: AuditCaller },
): Promise<void> {
  if ((await readHead(workspace.scope))?.id !== workspace.tenantId) return;
  if ((await findMember(workspace, id)) === undefined) return;
  const config = await deps.configs[workspace.env].current(workspace.orgCode);
  const call = { workspace, entity: systemEntity('user'), actor: { userId: id, claims: {}, auditCaller }, config };
  try {
    await deps.runtime.remove(call, { id });
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'not_found')) throw error;
  }
}

async function policyIdsOf(scope: Scope, names: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(names.map((name) => policyIdByName(scope, name)));
  const errors = names.flatMap((name, index) => {
    if (found[index] !== undefined) return [];
    const message = `there is no policy \`${name.slice(0, 128).toWellFormed()}\` in this workspace`;
    return [{ pointer: `/policies/${index}`, code: 'unknown_reference', message }];
  });
  if (errors.length > 0) throw invalidInput('validation_failed', errors);
  return [...new Set(found.filter((id) => id !== undefined))];
}
