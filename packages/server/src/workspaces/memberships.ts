import type { AuditCaller } from '../audit/audit-entry.ts';
import { type ConfigReader, type ConfigSet, settingOf } from '../config/port.ts';
import {
  type AccountChange,
  adminPolicy,
  adminRole,
  auditCallerOf,
  type FoundingMember,
  findMember,
  joinedChanges,
  joiningChanges,
  policyIdByName,
  removedMemberKey,
  replacedMember,
} from '../iam/port.ts';
import { emailKey } from '../lib/formats/email-key.ts';
import { notFound } from '../lib/problem.ts';
import { type AppUser, founderEmail, type Membership, memberOf, tenancyType } from '../people/port.ts';
import type { StoredRecord } from '../records/port.ts';
import type { Change, Scope, Store } from '../store/port.ts';
import { type CommitPlan, transact, tryCommit } from '../store/transact.ts';
import {
  defaultWorkspaceCode,
  type Environment,
  isThere,
  type OrgContext,
  openWorkspace,
  orgScopeName,
  readHead,
  type Workspace,
  type WorkspaceHead,
  workspaceHeads,
  workspaceSuspended,
} from '../tenancy/port.ts';
import { completeFounding, findIntent, type Intent, type MembershipDeps, takeCode } from './founding.ts';
import { chosenTenant, hintChange, type Tenant, tenantsOf } from './membership-hints.ts';

export interface ResolvedMembership extends Membership {
  readonly head: WorkspaceHead;
}

/** Undefined where the person is not in the workspace. A founding that was left half done is completed. */
export async function findMembership(
  deps: MembershipDeps,
  context: OrgContext,
  { tenant, userId }: { readonly tenant: Tenant; readonly userId: string },
): Promise<ResolvedMembership | undefined> {
  const workspace = openWorkspace(deps, context, tenant);
  const head = (await readHead(workspace.scope)) ?? (await completedHead(deps, context, workspace));
  if (head?.id !== tenant.id) return undefined;
  const member = await findMember(workspace, userId);
  return member === undefined ? undefined : { workspace, member, head };
}

async function completedHead(
  deps: MembershipDeps,
  context: OrgContext,
  { tenantId, tenantCode, scope }: Workspace,
): Promise<WorkspaceHead | undefined> {
  const intent = await findIntent(deps.stores[context.env].scope(orgScopeName(context.orgCode)), tenantCode);
  if (intent?.row.id !== tenantId || intent.row.state !== 'founding') return undefined;
  await completeFounding(deps, context, intent);
  return readHead(scope);
}

/** A suspended member is let in nowhere. */
export function isActive(membership: Membership): boolean {
  return membership.member.data.status === 'active';
}

/** Whether calls in it are answered, now. */
function isOpen(membership: ResolvedMembership): boolean {
  return isActive(membership) && membership.head.is_suspended !== true;
}

/**
 * The person's membership in the workspace that is named.
 * @throws Problem `not_found` where no such workspace lets the person in; `workspace_suspended`.
 */
export async function requireMembership(
  deps: MembershipDeps,
  context: OrgContext,
  { userId, isNamed }: { readonly userId: string; readonly isNamed: (tenant: Tenant) => boolean },
): Promise<ResolvedMembership> {
  const orgScope = deps.stores[context.env].scope(orgScopeName(context.orgCode));
  const tenant = (await tenantsOf(orgScope, userId)).find(isNamed);
  const found = tenant === undefined ? undefined : await findMembership(deps, context, { tenant, userId });
  if (found === undefined || !isActive(found)) throw notFound();
  if (!isOpen(found)) throw workspaceSuspended();
  return found;
}

/** The workspaces that a person is an active member of, each asked itself, the one joined last first; suspended ones too. */
export async function listMemberships(
  deps: MembershipDeps,
  context: OrgContext,
  userId: string,
): Promise<readonly ResolvedMembership[]> {
  const orgScope = deps.stores[context.env].scope(orgScopeName(context.orgCode));
  const found: ResolvedMembership[] = [];
  for (const tenant of await tenantsOf(orgScope, userId)) {
    const membership = await findMembership(deps, context, { tenant, userId });
    if (membership !== undefined && isActive(membership)) found.push(membership);
  }
  return found.sort((a, b) => joinedAt(b) - joinedAt(a));
}

function joinedAt({ member }: Membership): number {
  return Date.parse(member.data.created_at);
}

/** An account that a fresh token is asked for. */
export type Arriving = Pick<AppUser, keyof FoundingMember | 'email_verified' | 'suspends'>;

/**
 * The workspace that a fresh token is for: the one that the person has switched to, else under single tenancy the
 * default one, else the one joined last. Undefined for a person who is in none. A person who is suspended in the
 * default workspace and active in none gets that membership. A workspace that is suspended is passed over.
 * @throws Problem `workspace_suspended` where there is no other.
 */
export async function resolveWorkspace(
  deps: MembershipDeps,
  context: OrgContext,
  person: Arriving,
): Promise<Membership | undefined> {
  const orgScope = deps.stores[context.env].scope(orgScopeName(context.orgCode));
  const tenant = await chosenTenant(orgScope, person.id);
  const chosen = tenant === undefined ? undefined : await findMembership(deps, context, { tenant, userId: person.id });
  if (chosen !== undefined && isOpen(chosen)) return chosen;
  const isSingle = await isSingleTenancy(deps, context);
  const first = isSingle ? await enterDefaultWorkspace(deps, context, person) : undefined;
  if (first !== undefined && isActive(first)) return first;
  const memberships = await listMemberships(deps, context, person.id);
  const last = memberships.find(isOpen);
  if (last !== undefined) return last;
  const isHomeSuspended = isSingle && (await findIntent(orgScope, defaultWorkspaceCode))?.row.suspended !== undefined;
  if (memberships.length > 0 || isHomeSuspended) throw workspaceSuspended();
  return first;
}

/**
 * Single tenancy: the first person to sign in founds the default workspace, in production the platform does, and all others join it. Undefined for a
 * person who was removed from it, and while it is suspended. Safe to run any number of times at once, and after a crash at any point: what one
 * run has begun, the next one completes.
 */
export async function enterDefaultWorkspace(
  deps: MembershipDeps,
  context: OrgContext,
  person: Arriving,
): Promise<Membership | undefined> {
  return enter(deps, context, { person, intent: await intendDefault(deps, context, person) });
}

/**
 * The same for an account that a builder makes in a workspace: the first one in a workspace that a builder has made is its
 * first admin, as the first person to sign in is that of the default one.
 */
export async function enterWorkspace(
  deps: MembershipDeps,
  context: OrgContext,
  entering: { readonly code: string; readonly person: Arriving; readonly builder: AuditCaller },
): Promise<Membership | undefined> {
  const { code, person, builder } = entering;
  const isDefault = code === defaultWorkspaceCode && (await isSingleTenancy(deps, context));
  const orgScope = deps.stores[context.env].scope(orgScopeName(context.orgCode));
  const intent = isDefault ? await intendDefault(deps, context, person) : await findIntent(orgScope, code);
  return enter(deps, context, { person, intent, builder });
}

/** Whether the first person to sign in founds the default workspace. */
export async function isSingleTenancy(
  { configs }: Pick<MembershipDeps, 'configs'>,
  { env, orgCode }: OrgContext,
): Promise<boolean> {
  return settingOf(await configs[env].current(orgCode), env, tenancyType) === 'single';
}

async function enter(
  deps: MembershipDeps,
  context: OrgContext,
  entering: {
    readonly person: Arriving;
    readonly intent: Intent | undefined;
    readonly builder?: AuditCaller;
  },
): Promise<Membership | undefined> {
  const { person, intent, builder } = entering;
  if (intent === undefined || intent.row.state === 'removed' || intent.row.suspended !== undefined) return undefined;
  if (intent.row.state === 'founding') await completeFounding(deps, context, intent);
  return joinWorkspace(deps, deps.stores[context.env].scope(orgScopeName(context.orgCode)), {
    place: context,
    workspace: openWorkspace(deps, context, intent.row),
    person: memberOf(person),
    suspends: person.suspends,
    builder,
  });
}

/** Undefined while there is no default workspace and the person is not the one who may found it. */
async function intendDefault(deps: MembershipDeps, context: OrgContext, person: Arriving): Promise<Intent | undefined> {
  const orgScope = deps.stores[context.env].scope(orgScopeName(context.orgCode));
  for (;;) {
    const known = await findIntent(orgScope, defaultWorkspaceCode);
    if (known !== undefined) return known;
    const config = await deps.configs[context.env].current(context.orgCode);
    const founder = founderBy(config, context.env, person);
    if (founder === undefined) return undefined;
    const wanted = { code: defaultWorkspaceCode, name: 'Main', ...(founder === 'platform' ? {} : { founder }) };
    const taken = await takeCode(deps, context, wanted);
    if (taken !== undefined) return taken;
  }
}

/**
 * A founder who is named has to have proved the address: to know a name is no proof of being that person. To come first makes
 * a founder in test alone: in production the platform founds for the stranger who comes first, and all are members like others.
 */
function founderBy(config: ConfigSet, env: Environment, person: Arriving): FoundingMember | 'platform' | undefined {
  const only = settingOf(config, env, founderEmail);
  if (only === null) return env === 'prod' ? 'platform' : memberOf(person);
  return person.email_verified && emailKey(only) === emailKey(person.email) ? memberOf(person) : undefined;
}

async function joinWorkspace(
  deps: MembershipDeps,
  orgScope: Scope,
  joining: {
    readonly place: OrgContext;
    readonly workspace: Workspace;
    readonly person: FoundingMember;
    /** The account with the same address that makes room, unless it was granted more: then both are members. */
    readonly suspends: string | undefined;
    /** The creator of the account, if it is not the person itself. */
    readonly builder: AuditCaller | undefined;
  },
): Promise<Membership | undefined> {
  const { place, workspace, person, suspends, builder } = joining;
  const { scope } = workspace;
  const plan = async (): Promise<CommitPlan & { readonly member?: StoredRecord }> => {
    const member = await findMember(workspace, person.id);
    if (member !== undefined) return { member, changes: [] };
    const head = await workspaceHeads.read(scope, undefined);
    const [removed] = await scope.get([removedMemberKey(person.id)]);
    if (head === undefined || removed !== undefined) return { changes: [] };
    const isFirst = builder !== undefined && head.value.founder_id === undefined;
    const policyId = await policyIdByName(scope, isFirst ? adminPolicy : head.value.default_member_access);
    const policyIds = policyId === undefined ? [] : [policyId];
    const auditCaller = builder ?? auditCallerOf(person.id, place.requestId);
    const room = (await roomFor(deps, { workspace, userId: suspends, auditCaller }, policyIds)) ?? [];
    const role = isFirst ? adminRole : undefined;
    const changes = await joiningChanges(deps, workspace, { member: person, policyIds, role, auditCaller });
    const notRemoved: Change = { kind: 'check', ...removedMemberKey(person.id), if: 'absent' };
    const there = isFirst ? workspaceHeads.replace(head, { ...head.value, founder_id: person.id }) : isThere;
    return { changes: joinedChanges([there, notRemoved], changes, room) };
  };
  const { planned, committed } = await transact(scope, plan);
  const member = committed === undefined ? planned.member : await findMember(workspace, person.id);
  if (member === undefined) return undefined;
  await rememberMembership(orgScope, workspace, person.id);
  return { workspace, member };
}

/**
 * An account that cannot be signed in to makes room for the account that has proved the address. Undefined if it was
 * granted more than every new member has.
 */
export async function roomFor(
  deps: MembershipDeps,
  { workspace, userId, auditCaller }: Omit<AccountChange, 'userId'> & { readonly userId: string | undefined },
  defaultPolicyIds: readonly string[],
): Promise<readonly Change[] | undefined> {
  return userId === undefined ? [] : replacedMember(deps, { workspace, userId, auditCaller }, defaultPolicyIds);
}

/** Also for a member whose joining ended, by a crash, before the org's row was written. */
async function rememberMembership(orgScope: Scope, workspace: Workspace, userId: string): Promise<void> {
  const { tenantId: id, tenantCode: code } = workspace;
  const hint = hintChange(userId, { id, code });
  const [known] = await orgScope.get([hint]);
  if (known?.value !== hint.value) await tryCommit(orgScope, [hint]);
}

export interface ResolveWorkspaceDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
}

/** Why a person under single tenancy is not in the default workspace, with what to do; undefined where that says nothing. */
export async function whyOutside(
  { stores, configs }: ResolveWorkspaceDeps,
  { env, orgCode }: OrgContext,
  { email, email_verified }: Pick<AppUser, 'email' | 'email_verified'>,
): Promise<string | undefined> {
  const config = await configs[env].current(orgCode);
  if (settingOf(config, env, tenancyType) !== 'single') return undefined;
  const founder = settingOf(config, env, founderEmail);
  if (founder === null) return undefined;
  if ((await findIntent(stores[env].scope(orgScopeName(orgCode)), defaultWorkspaceCode)) !== undefined)
    return undefined;
  if (emailKey(founder) !== emailKey(email))
    return 'the app has no workspace yet: its founder has to sign in first, with an email address that is verified';
  return email_verified
    ? 'the email address of the caller is verified by now: a fresh token founds the workspace'
    : 'the email address of the caller founds the workspace, and has to be verified first: follow the link in the mail, and get a fresh token';
}

/**
 * Whether a sign-in finds the person suspended in the default workspace and active in none, for which it is refused.
 * Reads, and completes nothing that was left half done.
 */
export async function isSuspendedAtHome(
  deps: Pick<MembershipDeps, 'stores' | 'configs'>,
  context: OrgContext,
  userId: string,
): Promise<boolean> {
  const { env, orgCode } = context;
  const config = await deps.configs[env].current(orgCode);
  if (settingOf(config, env, tenancyType) !== 'single') return false;
  const orgScope = deps.stores[env].scope(orgScopeName(orgCode));
  const statusIn = async (tenant: Tenant): Promise<unknown> => {
    const workspace = openWorkspace(deps, context, tenant);
    if ((await readHead(workspace.scope))?.id !== tenant.id) return undefined;
    return (await findMember(workspace, userId))?.data.status;
  };
  const home = await findIntent(orgScope, defaultWorkspaceCode);
  const atHome = home === undefined ? undefined : await statusIn(home.row);
  if (atHome === undefined || atHome === 'active') return false;
  for (const tenant of await tenantsOf(orgScope, userId)) if ((await statusIn(tenant)) === 'active') return false;
  return true;
}
