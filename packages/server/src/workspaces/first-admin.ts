/** The first admin of production: the person who was named, and not the first to come. */

import type { deployApi } from '@freehold/contract/management/deploy';
import type { ReplyOf } from '@freehold/contract/route';
import { type ConfigItem, effectiveValue, type SettingType, settingOf } from '../config/port.ts';
import { type AccessEpochs, findMember, founderGrants, joinedChanges } from '../iam/port.ts';
import type { Clock } from '../lib/clock.ts';
import { emailKey } from '../lib/formats/email-key.ts';
import { Problem } from '../lib/problem.ts';
import {
  changeProd,
  defaultMemberAccess,
  findOrg,
  founderEmail,
  type Membership,
  type SettingContent,
  tenancyType,
} from '../people/port.ts';
import type { Scope } from '../store/port.ts';
import { type CommitPlan, transact } from '../store/transact.ts';
import {
  defaultWorkspaceCode,
  type OrgContext,
  orgScopeName,
  readHead,
  workspaceHeads,
  workspaceScopeName,
} from '../tenancy/port.ts';
import { findIntent, type MembershipDeps } from './founding.ts';

export interface FirstAdminDeps extends MembershipDeps {
  /** The scope with the orgs. */
  readonly platform: Scope;
  /** Has this process look again at what people may do. */
  readonly epochs: AccessEpochs;
}

interface VerifiedPerson {
  readonly id: string;
  readonly email: string;
  readonly email_verified: boolean;
}

/**
 * The membership of a token, once the person has what the first admin of production has, if that is the person. The address is
 * read behind the head of the workspace, and the commit is held to the head: a change of the address moves the head, so that no
 * sign-in by a former address comes after the answer of the change.
 */
export async function asFirstAdmin(
  deps: FirstAdminDeps,
  { env, orgCode, requestId = '' }: OrgContext,
  { person, membership }: { readonly person: VerifiedPerson; readonly membership: Membership },
): Promise<Membership> {
  const { workspace } = membership;
  if (env !== 'prod' || workspace.tenantCode !== defaultWorkspaceCode || !person.email_verified) return membership;
  const { scope } = workspace;
  const plan = async (): Promise<CommitPlan & { readonly isAdmitted?: true }> => {
    const head = await workspaceHeads.read(scope, undefined);
    if (head?.value.id !== workspace.tenantId || head.value.founder_id !== undefined) return { changes: [] };
    const email = await namedFounder(deps, orgCode);
    if (email === null || emailKey(email) !== emailKey(person.email)) return { changes: [] };
    const grants = await founderGrants(deps, { workspace, userId: person.id, requestId });
    if (grants === undefined) return { changes: [] };
    const founded = workspaceHeads.replace(head, { ...head.value, founder_id: person.id });
    return { isAdmitted: true, changes: joinedChanges([founded], grants) };
  };
  const { planned } = await transact(scope, plan);
  if (planned.isAdmitted === undefined) return membership;
  deps.epochs.bump(scope.name);
  return { workspace, member: (await findMember(workspace, person.id)) ?? membership.member };
}

/** The address that the active setting names, else the one that production was provisioned with. */
async function namedFounder({ configs, platform }: AwaitingDeps, orgCode: string): Promise<string | null> {
  const named = settingOf(await configs.prod.refresh(orgCode), 'prod', founderEmail);
  return named ?? (await findOrg(platform, orgCode))?.environments.prod?.founder_email ?? null;
}

export type AwaitingDeps = Pick<FirstAdminDeps, 'platform' | 'stores' | 'configs'>;

/** Undefined where production has had its first admin, or founds no default workspace. */
export async function awaitedFounder(deps: AwaitingDeps, orgCode: string) {
  const state = await foundingState(deps, orgCode);
  if (state === 'had') return undefined;
  const config = await deps.configs.prod.current(orgCode);
  if (state === 'none' && settingOf(config, 'prod', tenancyType) !== 'single') return undefined;
  return { email: await namedFounder(deps, orgCode) };
}

/** Whether the default workspace of production is not there, waits for its first admin, or has had one. */
async function foundingState(
  { stores }: Pick<AwaitingDeps, 'stores'>,
  orgCode: string,
): Promise<'none' | 'awaited' | 'had'> {
  const intent = await findIntent(stores.prod.scope(orgScopeName(orgCode)), defaultWorkspaceCode);
  if (intent === undefined) return 'none';
  if (intent.row.founder !== undefined || intent.row.state === 'removed') return 'had';
  const head = await readHead(stores.prod.scope(workspaceScopeName(orgCode, defaultWorkspaceCode)));
  return head?.founder_id === undefined ? 'awaited' : 'had';
}

/** For the review of a release: who becomes the first admin by the settings that are live after it.
 * @param contentAfter what an item of production is then.
 */
export function createFounderNote(deps: AwaitingDeps) {
  return async (orgCode: string, contentAfter: (item: ConfigItem) => unknown) => {
    const settingAfter = <Value>(type: SettingType<Value>): Value =>
      effectiveValue('prod', type, contentAfter({ kind: 'settings', name: type.key }) as SettingContent | undefined);
    const isSingle = settingAfter(tenancyType) === 'single';
    const state = await foundingState(deps, orgCode);
    if (state === 'had' || (state === 'none' && !isSingle)) return undefined;
    const named = settingAfter(founderEmail);
    const email = named ?? (await findOrg(deps.platform, orgCode))?.environments.prod?.founder_email;
    if (email === undefined) return { level: 'warning', message: noFounder } as const;
    const others =
      named === null || state === 'awaited'
        ? `others join with \`${settingAfter(defaultMemberAccess)}\``
        : 'others are refused until then';
    const message = `\`${email}\` becomes the first admin of production, by a sign-in in which the address is verified; ${others}`;
    return { level: 'info', message } as const;
  };
}

const noFounder =
  'no address is named that becomes the first admin of production: name one by `POST /user/provision-prod {founder_email}`, in ' +
  'the console under Settings, or by `freehold deploy --provision --founder`';

/**
 * Has each sign-in that is under way read the address again. False where a person has become the first admin before: then the
 * address was that person's, or the setting's.
 */
async function moveFounderHead({ stores }: Pick<AwaitingDeps, 'stores'>, orgCode: string): Promise<boolean> {
  const scope = stores.prod.scope(workspaceScopeName(orgCode, defaultWorkspaceCode));
  const { planned } = await transact(scope, async () => {
    const head = await workspaceHeads.read(scope, undefined);
    const isAwaited = head?.value.founder_id === undefined;
    return { isAwaited, changes: head === undefined || !isAwaited ? [] : [workspaceHeads.replace(head, head.value)] };
  });
  return planned.isAwaited;
}

interface ProductionDeps extends AwaitingDeps {
  readonly clock: Clock;
}

/** The creation of production, and its first admin. */
export function createProduction(deps: ProductionDeps) {
  return {
    /** @throws Problem `conflict` where the first admin of production is named too late. */
    provision: (args: Parameters<typeof changeProd>[1]) => provisionProd(deps, args),
    /** Undefined where production is missing, or has had its first admin. */
    awaitedFounder: async (org: { readonly code: string; readonly environments: { readonly prod: object | null } }) =>
      org.environments.prod === null ? undefined : awaitedFounder(deps, org.code),
  };
}

/**
 * Gives an org its production. If it is there, only the address of the first admin is changed, until that person comes.
 * @throws Problem `conflict` where production has had its first admin.
 */
export async function provisionProd(
  deps: ProductionDeps,
  args: Parameters<typeof changeProd>[1],
): Promise<ReplyOf<typeof deployApi.provisionProd>> {
  const { orgCode } = args;
  const { prod, done } = await changeProd(deps, args, async () => {
    if ((await foundingState(deps, orgCode)) === 'had') throw hasFirstAdmin();
  });
  if (done === 'founder_named' && !(await moveFounderHead(deps, orgCode))) throw hasFirstAdmin();
  const { client_id, provisioned_at = '' } = prod;
  const awaited_founder = await awaitedFounder(deps, orgCode);
  return {
    ...{ environment: 'prod', client_id, provisioned_at, created: done === 'provisioned' },
    ...(awaited_founder === undefined ? {} : { awaited_founder }),
  };
}

function hasFirstAdmin(): Problem {
  return new Problem('conflict', 'production has had its first admin: its own admins name others from now on');
}
