import type { selfApi } from '@freehold/contract/app/self';
import type { BodyOf, ReplyOf } from '@freehold/contract/route';
import type { ConfigSet } from '../../config/port.ts';
import {
  builderPolicy,
  findMember,
  heldPolicies,
  type PermissionsCaller,
  permissionsOf,
  thenBump,
} from '../../iam/port.ts';
import { timestamp } from '../../lib/clock.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { invalidBody } from '../../lib/problem.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import { type RecordRuntime, readCreate } from '../../records/port.ts';
import { systemEntity } from '../../schema/port.ts';
import type { Scope } from '../../store/port.ts';
import { orgScopeName, shareKeyOf } from '../../tenancy/port.ts';
import { type AppTokenClaims, endToken, tokensKeyOf, withNextEpoch } from '../app-tokens.ts';
import { type AppClientDeps, appOf } from '../org-users/org-directory.ts';
import type { Parts } from '../parts.ts';
import { changePassword, type PasswordChange } from '../realm/set-password.ts';
import { type AppCaller, requireWorkspace } from '../sessions/app-sessions.ts';
import { appPasswords } from './app-mails.ts';
import { issueAppToken, type TokenExchangeDeps } from './app-sign-in.ts';
import { type AppUser, changeAppUser, requireAppUser } from './app-user.ts';
import type { AppUsersDeps } from './password-log-in.ts';
import { findSuspendedFor } from './prove-email.ts';

type Self = ReplyOf<typeof selfApi.readMe>;

type AppSelfDeps = TokenExchangeDeps &
  AppUsersDeps &
  AppClientDeps &
  Pick<Parts, 'revocations'> & {
    readonly runtime: Pick<RecordRuntime, 'update'>;
  };

/** The actions of an app's user on his own account, which take a token and no policy. */
export function createAppSelf(deps: AppSelfDeps) {
  const scopeOf = ({ env, org }: AppTokenClaims): Scope => deps.stores[env].scope(orgScopeName(org));
  const configOf = ({ env, org }: AppTokenClaims): MaybePromise<ConfigSet> => deps.configs[env].current(org);
  const describe = async (caller: AppCaller, user: UserProfile): Promise<Self> => {
    // A builder who acts for the person is shown nothing of another account.
    const suspended =
      caller.claims.act === undefined ? await findSuspendedFor(scopeOf(caller.claims), user) : undefined;
    const join = suspended === undefined ? {} : { join: { since: suspended.suspended_at } };
    return { ...(await describeMember(caller, user)), ...join };
  };
  return {
    /** As the platform knows the person now, whatever the token says. */
    read: async (caller: AppCaller) => {
      const { kind, claims } = caller;
      const person = kind === 'person' ? await requireAppUser(scopeOf(claims), claims.sub) : undefined;
      return describe(caller, person ?? { ...claims, id: claims.sub });
    },
    /**
     * Changes the person's own profile, which workspaces that he comes into later start from, and his `user` record in
     * the workspace of the token. Other workspaces keep what they hold of him.
     */
    update: async (caller: AppCaller, change: ProfileChange) => {
      requireProfile(change);
      const { claims } = caller;
      await updateMember(deps, caller, { change, config: await configOf(claims) });
      return describe(caller, await changeAppUser(scopeOf(claims), claims.sub, (user) => withProfile(user, change)));
    },
    /** Ends every token of the person, the one in hand included, and gives a fresh one. */
    changePassword: async ({ claims }: AppCaller, { body, ip }: PasswordChange) => {
      const app = await appOf(deps, claims);
      const user = await changePassword(deps, appPasswords(deps, app), { id: claims.sub, body, ip });
      const auth_time = Math.floor(deps.clock.now() / 1000);
      const signIn = { user_id: user.id, idp: claims.idp, auth_time };
      return issueAppToken(deps, { ...app, clientId: claims.clientid, user, signIn });
    },
    /** Ends the token in hand, or with `everywhere` all of the person's. */
    logOut: async ({ claims }: AppCaller, { everywhere = false }: BodyOf<typeof selfApi.endTokens> = {}) => {
      const orgScope = scopeOf(claims);
      await thenBump(deps.revocations, tokensKeyOf(claims), async () => {
        if (everywhere)
          await changeAppUser(orgScope, claims.sub, (user) => withNextEpoch(user, timestamp(deps.clock.now())));
        else await orgScope.commit(endToken(claims));
      });
    },
    /** The rights of the person in the workspace of the token, for an app to show no button in vain. */
    permissions: async (
      caller: AppCaller,
      { ip, origin }: { readonly ip: string; readonly origin: string | undefined },
    ) => {
      const { kind, claims } = caller;
      const { workspace } = requireWorkspace(caller);
      const config = await configOf(claims);
      const held = kind === 'builder' ? [builderPolicy] : await heldPolicies(workspace, claims.sub);
      const { tenantId: id, tenantCode: code } = workspace;
      const permissionsCaller: PermissionsCaller = {
        user: { id: claims.sub, email: claims.email },
        tenant: { id, code },
        jwt: { ...claims },
        request: { ip, time: deps.clock.now(), ...(origin === undefined ? {} : { origin }) },
      };
      return permissionsOf(held, config, permissionsCaller, createYielder(shareKeyOf(workspace)));
    },
  };
}

async function describeMember({ claims, place }: AppCaller, user: UserProfile): Promise<Self> {
  const member = place === undefined ? undefined : (await findMember(place.workspace, claims.sub))?.data;
  const picture = member === undefined ? user.picture : member.picture;
  return {
    id: user.id,
    email: user.email,
    email_verified: user.email_verified,
    fn: member === undefined ? user.fn : String(member.fn ?? ''),
    ln: member === undefined ? user.ln : String(member.ln ?? ''),
    ...(typeof picture === 'string' ? { picture } : {}),
    role: member === undefined ? claims.role : String(member.role ?? ''),
    tenant_id: claims.tenant_id ?? null,
    tenant_code: claims.tenant_code ?? null,
  };
}

type UserProfile = Pick<AppUser, 'id' | 'email' | 'email_verified' | 'fn' | 'ln' | 'picture' | 'suspends'>;

async function updateMember(
  { runtime }: Pick<AppSelfDeps, 'runtime'>,
  { claims, place }: AppCaller,
  { change, config }: { readonly change: ProfileChange; readonly config: ConfigSet },
): Promise<void> {
  if (place === undefined) return;
  const actor = { userId: claims.sub, claims: { ...claims } };
  const call = { workspace: place.workspace, entity: systemEntity('user'), actor, config };
  await runtime.update(call, { id: claims.sub, body: change });
}

/** The profile fields that a person may set; `null` clears. */
type ProfileChange = BodyOf<typeof selfApi.updateMe>;

/** The workspace's limits for its members are the bounds. @throws Problem `validation_failed`. */
function requireProfile(change: ProfileChange): void {
  // A member of every workspace has an email, which is not the person's to change here.
  const { errors } = readCreate(systemEntity('user'), { ...change, email: 'a@b.example' });
  if (errors.length > 0) throw invalidBody(errors);
}

function withProfile(user: AppUser, change: ProfileChange): AppUser {
  const { picture: held, ...rest } = user;
  const picture = change.picture === undefined ? held : change.picture;
  return {
    ...rest,
    fn: change.fn === undefined ? user.fn : (change.fn ?? ''),
    ln: change.ln === undefined ? user.ln : (change.ln ?? ''),
    ...(picture === undefined || picture === null ? {} : { picture }),
  };
}
