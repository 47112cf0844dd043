import type { ConfigReader } from '../entities/config-reader.ts';
import { fenceFloor } from '../entities/fence.ts';
import { configHeadKey } from '../entities/org-keys.ts';
import type { StoredRecord } from '../entities/record.ts';
import { settingOf } from '../entities/setting.ts';
import { type Environment, orgScopeName, type Workspace, workspaceScopeName } from '../entities/workspace.ts';
import { type WorkspaceRow, workspaceRowKey } from '../entities/workspace-directory.ts';
import { foundingChanges, type GrantParts, joiningChanges, type Member } from '../iam/founding.ts';
import { findMember, removedMemberKey } from '../iam/iam-rules.ts';
import { policyIdByName } from '../iam/policy-names.ts';
import { timestamp } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import { type Change, Conflict, type Key, type Scope, type Store } from '../store/port.ts';
import { emailKey } from './email.ts';
import { defaultMemberAccess, founderEmail } from './settings/plain-settings.ts';

export interface MembershipParts extends GrantParts {
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly stores: Readonly<Record<Environment, Store>>;
}

/** Where a person is to be let in. */
export interface OrgPlace {
  readonly env: Environment;
  readonly orgCode: string;
}

/** A person's place in a workspace: the member's record is the truth of it. */
export interface Membership {
  readonly workspace: Workspace;
  readonly member: StoredRecord;
}

/** What the platform itself knows of a workspace, in the workspace's own scope. */
export interface WorkspaceHead {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly founder_id: string;
  readonly default_member_access: string;
}

export const workspaceHeadKey: Key = { pk: 'workspace', sk: 'head' };

const defaultWorkspaceCode = 'main';

/**
 * Single tenancy: the first person to sign in founds the default workspace, everyone after joins it. Undefined for a
 * person who was removed from it. Safe to run any number of times at once, and after a crash at any point: what one
 * run has begun, the next one completes.
 */
export async function enterDefaultWorkspace(
  parts: MembershipParts,
  place: OrgPlace,
  person: Member,
): Promise<Membership | undefined> {
  const orgScope = parts.stores[place.env].scope(orgScopeName(place.orgCode));
  const intent = await intendWorkspace(parts, place, person);
  if (intent === undefined) return undefined;
  const { row, version } = intent;
  const workspace = openWorkspace(parts, place, row);
  if (row.state === 'founding') await completeFounding(parts, { orgScope, workspace, row, version });
  return joinWorkspace(parts, orgScope, { workspace, person });
}

export function openWorkspace(
  parts: Pick<MembershipParts, 'stores'>,
  place: OrgPlace,
  tenant: { readonly id: string; readonly code: string },
): Workspace {
  const scope = parts.stores[place.env].scope(workspaceScopeName(place.orgCode, tenant.code));
  return { ...place, tenantId: tenant.id, tenantCode: tenant.code, scope };
}

interface FoundingRow extends WorkspaceRow {
  readonly founder: Member;
  /** The configuration that the org had then: nobody writes in the workspace by an older one. */
  readonly config_version: number;
  readonly default_member_access: string;
}

/**
 * The org's row of the workspace; it is the intent that names the founder until the workspace is ready. Undefined while
 * there is none and the person is not the one who may found it.
 */
async function intendWorkspace(
  parts: MembershipParts,
  { env, orgCode }: OrgPlace,
  founder: Member,
): Promise<{ readonly row: FoundingRow; readonly version: number } | undefined> {
  const orgScope = parts.stores[env].scope(orgScopeName(orgCode));
  const key = workspaceRowKey(defaultWorkspaceCode);
  for (;;) {
    const [item, head] = await orgScope.get([key, configHeadKey]);
    if (item !== undefined) return { row: JSON.parse(item.value) as FoundingRow, version: item.version };
    const config = await parts.configs[env].current(orgCode);
    const only = settingOf(config, env, founderEmail);
    if (only !== null && emailKey(only) !== emailKey(founder.email)) return undefined;
    const created_at = timestamp(parts.clock.now());
    const row: FoundingRow = {
      id: parts.newId(),
      code: defaultWorkspaceCode,
      name: 'Main',
      state: 'founding',
      created_at,
      founder,
      config_version: head?.version ?? 0,
      default_member_access: settingOf(config, env, defaultMemberAccess),
    };
    const unchanged: Change = {
      kind: 'check',
      ...configHeadKey,
      if: head === undefined ? 'absent' : { version: head.version },
    };
    await commitUnlessDone(orgScope, [unchanged, { kind: 'put', ...key, value: JSON.stringify(row), if: 'absent' }]);
  }
}

interface Founding {
  readonly orgScope: Scope;
  readonly workspace: Workspace;
  readonly row: FoundingRow;
  readonly version: number;
}

/** Grants first, then visibility: the row becomes ready once everything is in the workspace's own scope. */
async function completeFounding(parts: MembershipParts, founding: Founding): Promise<void> {
  const { orgScope, workspace, row, version } = founding;
  const head: WorkspaceHead = {
    id: row.id,
    code: row.code,
    name: row.name,
    founder_id: row.founder.id,
    default_member_access: row.default_member_access,
  };
  const grants = await foundingChanges(parts, workspace, row.founder);
  await commitUnlessDone(workspace.scope, [
    { kind: 'put', ...workspaceHeadKey, value: JSON.stringify(head), if: 'absent' },
    fenceFloor(row.config_version),
    ...grants,
  ]);
  const ready: FoundingRow = { ...row, state: 'ready' };
  await commitUnlessDone(orgScope, [
    { kind: 'put', ...workspaceRowKey(row.code), value: JSON.stringify(ready), if: { version } },
    { kind: 'put', ...hintKey(row.founder.id, row.code), value: hint(parts, row), if: 'any' },
  ]);
}

async function joinWorkspace(
  parts: MembershipParts,
  orgScope: Scope,
  joining: { readonly workspace: Workspace; readonly person: Member },
): Promise<Membership | undefined> {
  const { workspace, person } = joining;
  const { scope } = workspace;
  for (let attempt = 0; attempt < joinAttemptsMax; attempt++) {
    const member = await findMember(workspace, person.id);
    if (member !== undefined) {
      await rememberMembership(parts, orgScope, { workspace, userId: person.id });
      return { workspace, member };
    }
    const [headItem, removed] = await scope.get([workspaceHeadKey, removedMemberKey(person.id)]);
    if (headItem === undefined || removed !== undefined) return undefined;
    const head = JSON.parse(headItem.value) as WorkspaceHead;
    const policyId = await policyIdByName(scope, head.default_member_access);
    const changes = await joiningChanges(parts, workspace, { member: person, policyId });
    const notRemoved: Change = { kind: 'check', ...removedMemberKey(person.id), if: 'absent' };
    await commitUnlessDone(scope, [notRemoved, ...changes]);
  }
  throw new Problem('conflict', 'others keep changing the workspace: try again');
}

const joinAttemptsMax = 16;

/** Also for a member whose joining ended, by a crash, before the org was told. */
async function rememberMembership(
  parts: MembershipParts,
  orgScope: Scope,
  { workspace, userId }: { readonly workspace: Workspace; readonly userId: string },
): Promise<void> {
  const key = hintKey(userId, workspace.tenantCode);
  const [known] = await orgScope.get([key]);
  if (known !== undefined) return;
  const value = hint(parts, { id: workspace.tenantId });
  await commitUnlessDone(orgScope, [{ kind: 'put', ...key, value, if: 'absent' }]);
}

/** A conflict here means that another run has made the same step. */
async function commitUnlessDone(scope: Scope, changes: readonly Change[]): Promise<void> {
  try {
    await scope.commit(changes);
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
  }
}

/** What the org remembers of who is where. It helps to find; whether it holds, the workspace says. */
interface MembershipHint {
  readonly tenant_id: string;
  readonly joined_at: string;
}

const hintPartition = (userId: string): string => `membership;${userId}`;

function hintKey(userId: string, tenantCode: string): Key {
  return { pk: hintPartition(userId), sk: tenantCode };
}

function hint(parts: MembershipParts, row: { readonly id: string }): string {
  const value: MembershipHint = { tenant_id: row.id, joined_at: timestamp(parts.clock.now()) };
  return JSON.stringify(value);
}

export interface TenantSummary {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly role: string;
  readonly joined_at: string;
}

/** The workspaces a person is in, each verified with the workspace. */
export async function listMemberships(
  parts: Pick<MembershipParts, 'stores'>,
  place: OrgPlace,
  userId: string,
): Promise<readonly TenantSummary[]> {
  const orgScope = parts.stores[place.env].scope(orgScopeName(place.orgCode));
  const hints = await orgScope.range(hintPartition(userId), { limit: 200 });
  const found: TenantSummary[] = [];
  for (const item of hints) {
    const { tenant_id, joined_at } = JSON.parse(item.value) as MembershipHint;
    const workspace = openWorkspace(parts, place, { id: tenant_id, code: item.sk });
    const member = await findMember(workspace, userId);
    const [head] = await workspace.scope.get([workspaceHeadKey]);
    if (member === undefined || head === undefined) continue;
    const { id, name } = JSON.parse(head.value) as WorkspaceHead;
    if (id === tenant_id) found.push({ id, code: item.sk, name, role: String(member.data.role ?? ''), joined_at });
  }
  return found;
}
