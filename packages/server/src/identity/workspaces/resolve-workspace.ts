import type { ConfigSet } from '../../config/port.ts';
import { settingOf } from '../../config/port.ts';
import {
  type AccountChange,
  auditCallerOf,
  findMember,
  joinedChanges,
  joiningChanges,
  type Member,
  policyIdByName,
  removedMemberKey,
  replacedMember,
} from '../../iam/port.ts';
import { emailKey } from '../../lib/formats/email-key.ts';
import type { StoredRecord } from '../../records/port.ts';
import type { Change, Scope } from '../../store/port.ts';
import { type Plan, transact, tryCommit } from '../../store/transact.ts';
import {
  defaultWorkspaceCode,
  type Environment,
  orgScopeName,
  type Workspace,
  workspaceSuspended,
} from '../../tenancy/port.ts';
import { type AppUser, memberOf } from '../app-users/app-user.ts';
import { founderEmail, tenancyType } from '../settings/plain-settings.ts';
import { completeFounding, findIntent, type Intent, takeCode } from './founding.ts';
import { chosenTenant, hintChange } from './membership-hints.ts';
import {
  findMembership,
  isActive,
  isOpen,
  listMemberships,
  type Membership,
  type MembershipDeps,
} from './memberships.ts';
import { isThere, type OrgContext, openWorkspace, readHead } from './workspace-head.ts';

/** An account that a fresh token is asked for. */
export type Arriving = Pick<AppUser, keyof Member | 'email_verified' | 'suspends'>;

/**
 * The workspace that a fresh token is for: the one that the person has switched to, else under single tenancy the
 * default one, else the one joined last. Undefined for a person who is in none. One who is nowhere but suspended gets
 * the membership that is. A workspace that is suspended is passed over.
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
  const config = await deps.configs[context.env].current(context.orgCode);
  const isSingle = settingOf(config, context.env, tenancyType) === 'single';
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
  const orgScope = deps.stores[context.env].scope(orgScopeName(context.orgCode));
  const intent = await intendDefault(deps, context, person);
  if (intent === undefined || intent.row.state === 'removed' || intent.row.suspended !== undefined) return undefined;
  if (intent.row.state === 'founding') await completeFounding(deps, context, intent);
  return joinWorkspace(deps, orgScope, {
    place: context,
    workspace: openWorkspace(deps, context, intent.row),
    person: memberOf(person),
    suspends: person.suspends,
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
function founderBy(config: ConfigSet, env: Environment, person: Arriving): Member | 'platform' | undefined {
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
    readonly person: Member;
    /** The account with the same address that has to make room. */
    readonly suspends: string | undefined;
  },
): Promise<Membership | undefined> {
  const { place, workspace, person, suspends } = joining;
  const { scope } = workspace;
  const plan = async (): Promise<Plan & { readonly member?: StoredRecord }> => {
    const member = await findMember(workspace, person.id);
    if (member !== undefined) return { member, changes: [] };
    const head = await readHead(scope);
    const [removed] = await scope.get([removedMemberKey(person.id)]);
    if (head === undefined || removed !== undefined) return { changes: [] };
    const policyId = await policyIdByName(scope, head.default_member_access);
    const policyIds = policyId === undefined ? [] : [policyId];
    const auditCaller = auditCallerOf(person.id, place.requestId);
    const room = await roomFor(deps, { workspace, userId: suspends, auditCaller }, policyIds);
    if (room === undefined) return { changes: [] };
    const changes = await joiningChanges(deps, workspace, { member: person, policyIds, auditCaller });
    const notRemoved: Change = { kind: 'check', ...removedMemberKey(person.id), if: 'absent' };
    return { changes: joinedChanges([isThere, notRemoved], changes, room) };
  };
  const { planned, committed } = await transact(scope, plan);
  const member = committed === undefined ? planned.member : await findMember(workspace, person.id);
  if (member === undefined) return undefined;
  await rememberMembership(orgScope, workspace, person.id);
  return { workspace, member };
}

/**
 * One address is one entry among the members: an account that cannot be signed in to makes room for the one that has
 * proved the address, unless it was granted more than every new member has. Then that has to be resolved first.
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
