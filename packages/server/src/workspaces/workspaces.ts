import { randomBytes } from 'node:crypto';
import type { workspacesApi } from '@freehold/contract/app/workspaces';
import type { BodyOf } from '@freehold/contract/route';
import { auditCallerOf, auditEntryInWorkspace, policyIdByName, promisePolicy } from '../iam/port.ts';
import { invalidBody, invalidInput, notFound, Problem } from '../lib/problem.ts';
import { type AppTokenClaims, findAppUser, memberOf } from '../people/port.ts';
import type { RecordRuntime, WriteContext } from '../records/port.ts';
import { systemEntity } from '../schema/port.ts';
import type { Change, Scope } from '../store/port.ts';
import { transact, tryCommit } from '../store/transact.ts';
import { defaultWorkspaceCode, type OrgContext, orgScopeName, workspaceHeads } from '../tenancy/port.ts';
import {
  completeFounding,
  type FoundingRow,
  findIntent,
  type Intent,
  type MembershipDeps,
  takeCode,
  type WantedWorkspace,
} from './founding.ts';
import { chooseChange, forgetChange, membershipsMax, type Tenant, tenantsOf } from './membership-hints.ts';
import { listMemberships, type ResolvedMembership, requireMembership } from './memberships.ts';
import { type RemovalConfirmation, removeWorkspace, type WorkspaceRemovalDeps } from './workspace-removal.ts';

type NewWorkspace = BodyOf<typeof workspacesApi.createWorkspace>;
type WorkspaceChange = BodyOf<typeof workspacesApi.updateWorkspace>;
/** By id or by code. */
type SwitchTarget = BodyOf<typeof workspacesApi.switchTenant>;

interface WorkspacesDeps extends WorkspaceRemovalDeps {
  readonly runtime: RecordRuntime;
}

/** The workspaces of an app's users: who asks is known by his token, and what needs a permission has been allowed. */
export function createWorkspaces(deps: WorkspacesDeps) {
  return {
    /** @throws Problem `validation_failed`, `conflict`. */
    create: (claims: AppTokenClaims, body: NewWorkspace, requestId: string) =>
      createWorkspace(deps, { claims, requestId }, body),
    /** @throws Problem `validation_failed`, `escalation_refused`. */
    update: (context: WriteContext, body: WorkspaceChange) => updateWorkspace(deps, context, body),
    tenants: (claims: AppTokenClaims) => listTenants(deps, claims),
    /** For the tokens to come. @throws Problem `not_found` where the person is not in the workspace; `workspace_suspended`. */
    switchTo: (claims: AppTokenClaims, named: SwitchTarget) => switchWorkspace(deps, claims, named),
    /** @throws Problem `not_found`, `last_admin`, `workspace_suspended`. */
    leave: (claims: AppTokenClaims, named: SwitchTarget, requestId: string) =>
      leaveWorkspace(deps, { claims, requestId }, named),
    remove: (context: WriteContext, body: RemovalConfirmation) => removeWorkspace(deps, context, body),
  };
}

/** A person's request for himself. */
interface OwnWorkspaceRequest {
  readonly claims: AppTokenClaims;
  readonly requestId: string;
}

async function createWorkspace(deps: WorkspacesDeps, { claims, requestId }: OwnWorkspaceRequest, body: NewWorkspace) {
  const { code } = body;
  const name = body.name.trim();
  const { place: home, orgScope } = homeOf(deps, claims);
  const place = { ...home, requestId };
  const founder = await findAppUser(orgScope, claims.sub);
  if (founder === undefined) throw notFound();
  if ((await tenantsOf(orgScope, founder.id)).length >= membershipsMax)
    throw new Problem('conflict', `a person may be in at most ${membershipsMax} workspaces`);
  const row = await foundWorkspace(deps, place, { code, name, founder: memberOf(founder) });
  return { id: row.id, code: row.code, name, current: true } as const;
}

/** Makes a workspace with this code, or one from its name. @throws Problem `validation_failed`, `conflict`. */
export async function foundWorkspace(
  deps: MembershipDeps,
  place: OrgContext,
  { code, ...wanted }: { readonly code: string | undefined } & WantedWorkspace,
): Promise<FoundingRow> {
  if (code === defaultWorkspaceCode) throw keptCode(code);
  const take = (code: string) => takeCode(deps, place, { code, ...wanted });
  const intent = code === undefined ? await firstOf(codesFrom(wanted.name), take) : await take(code);
  if (intent === undefined) {
    await completeStarted(deps, place, code);
    throw new Problem('conflict', `the code \`${code ?? wanted.name}\` is taken`);
  }
  await completeFounding(deps, place, intent);
  return intent.row;
}

/** A repeated request is refused, and completes what the first one left half done. */
async function completeStarted(deps: MembershipDeps, place: OrgContext, code = ''): Promise<void> {
  const intent = await findIntent(deps.stores[place.env].scope(orgScopeName(place.orgCode)), code);
  if (intent?.row.state === 'founding') await completeFounding(deps, place, intent);
}

function keptCode(code: string): Problem {
  const message = `\`code\` \`${code}\` is reserved for the default workspace`;
  return invalidBody([{ pointer: '/code', code: 'invalid_value', message }]);
}

async function firstOf(
  codes: Iterable<string>,
  take: (code: string) => Promise<Intent | undefined>,
): Promise<Intent | undefined> {
  for (const code of codes) {
    const taken = await take(code);
    if (taken !== undefined) return taken;
  }
  return undefined;
}

async function updateWorkspace({ clock }: WorkspacesDeps, context: WriteContext, change: WorkspaceChange) {
  const { scope } = context.workspace;
  const { planned } = await transact(scope, async () => {
    const row = await workspaceHeads.read(scope, undefined);
    if (row === undefined) throw notFound();
    const head = row.value;
    const access = change.default_member_access ?? head.default_member_access;
    const isOther = access !== head.default_member_access;
    const checks = isOther ? await promiseAccess(context, access) : [];
    const acl_policy_id = isOther ? await policyIdByName(scope, access) : undefined;
    const changed = { ...head, name: change.name?.trim() ?? head.name, default_member_access: access };
    const entry = auditEntryInWorkspace(clock, context, {
      action: 'workspace.changed',
      target: { kind: 'workspace', id: head.id },
      ...(acl_policy_id === undefined ? {} : { detail: { acl_policy_id } }),
    });
    return { changed, changes: [workspaceHeads.replace(row, changed), ...checks, entry] };
  });
  const { id, code, name, default_member_access } = planned.changed;
  return { id, code, name, default_member_access };
}

async function promiseAccess(context: WriteContext, name: string): Promise<readonly Change[]> {
  const checks = await promisePolicy(context, { name }, 'made');
  if (checks !== undefined) return checks;
  const message = `there is no policy \`${name.slice(0, 128)}\` in this workspace`;
  throw invalidInput('validation_failed', [{ pointer: '/default_member_access', code: 'unknown_reference', message }]);
}

async function listTenants(deps: WorkspacesDeps, claims: AppTokenClaims) {
  const memberships = await listMemberships(deps, homeOf(deps, claims).place, claims.sub);
  return memberships.map(({ head: { id, code, name, is_suspended: suspended = false }, member: { data } }) => ({
    id,
    code,
    name,
    role: String(data.role ?? ''),
    current: id === claims.tenant_id,
    suspended,
    joined_at: data.created_at,
  }));
}

async function switchWorkspace(deps: WorkspacesDeps, claims: AppTokenClaims, named: SwitchTarget) {
  const { tenantId, tenantCode } = (await namedMembership(deps, claims, named)).workspace;
  const tenant = { id: tenantId, code: tenantCode };
  await tryCommit(homeOf(deps, claims).orgScope, [chooseChange(claims.sub, tenant)]);
  return { tenant_id: tenantId, tenant_code: tenantCode };
}

/** To leave is to remove one's own `user` record, which needs no permission. */
async function leaveWorkspace(
  deps: WorkspacesDeps,
  { claims, requestId }: OwnWorkspaceRequest,
  named: SwitchTarget,
): Promise<void> {
  const { workspace } = await namedMembership(deps, claims, named);
  const config = await deps.configs[claims.env].current(claims.org);
  const actor = { userId: claims.sub, claims: {}, auditCaller: auditCallerOf(claims.sub, requestId) };
  await deps.runtime.remove({ workspace, entity: systemEntity('user'), actor, config }, { id: claims.sub });
  await tryCommit(homeOf(deps, claims).orgScope, [forgetChange(claims.sub, workspace.tenantCode)]);
}

async function namedMembership(
  deps: WorkspacesDeps,
  claims: AppTokenClaims,
  named: SwitchTarget,
): Promise<ResolvedMembership> {
  const isNamed = ({ id, code }: Tenant): boolean =>
    'tenant_id' in named ? id === named.tenant_id : code === named.tenant_code;
  return requireMembership(deps, homeOf(deps, claims).place, { userId: claims.sub, isNamed });
}

function homeOf(
  deps: MembershipDeps,
  { env, org: orgCode }: AppTokenClaims,
): { readonly place: OrgContext; readonly orgScope: Scope } {
  return { place: { env, orgCode }, orgScope: deps.stores[env].scope(orgScopeName(orgCode)) };
}

/** Codes from a name, the plain one first; then with an end that makes it another one. */
function* codesFrom(name: string): Generator<string> {
  const letters = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '');
  const plain = letters === '' ? 'workspace' : letters;
  if (plain !== defaultWorkspaceCode) yield plain;
  for (let attempt = 0; attempt < attemptsMax; attempt++) yield `${plain}-${randomBytes(4).toString('hex')}`;
}

const attemptsMax = 8;

/** The place of an action on the workspace itself, and the further rights of its caller there. */
export interface ActionContext extends WriteContext {
  /** Whether another action is allowed, asked for on the same resource; what its body would decide is not. */
  allows(action: string): boolean;
}

export const workspaceActions = [
  'updateworkspace',
  'deleteworkspace',
  'createinvitation',
  'listinvitation',
  'deleteinvitation',
] as const;

export type WorkspaceAction = (typeof workspaceActions)[number];

type CallersOfWorkspaces = { readonly [A in WorkspaceAction]: ActionContext };

declare module '../api/route.ts' {
  interface Callers extends CallersOfWorkspaces {}
}
