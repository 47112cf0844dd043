import type { appUsersApi } from '@freehold/contract/management/people/app-users';
import type { ReplyOf } from '@freehold/contract/route';
import { type ConfigSet, settingOf } from '../config/port.ts';
import { invalidInput, Problem } from '../lib/problem.ts';
import { founderEmail, type People } from '../people/port.ts';
import { defaultWorkspaceCode, type OrgContext, orgScopeName, workspaceSuspended } from '../tenancy/port.ts';
import { findIntent, type MembershipDeps } from './founding.ts';
import { chooseChange } from './membership-hints.ts';
import { enterWorkspace, isSingleTenancy } from './memberships.ts';

type NewAccount = People['shared']['newAccount'];

export interface CreateUserDeps extends MembershipDeps {
  readonly newAccount: NewAccount;
}

export type CreateUserCommand = Parameters<NewAccount>[0];

export interface NewAppUser {
  readonly tenant_code: string;
  readonly email: string;
}

/** Makes an account with a password of the platform's, and joins it as its first sign-in would. */
export async function createUser(
  deps: CreateUserDeps,
  command: CreateUserCommand,
  { email, tenant_code: code }: NewAppUser,
): Promise<ReplyOf<typeof appUsersApi.createAppUser>> {
  const { env, orgCode, auditContext } = command;
  const context = { env, orgCode, requestId: auditContext.request_id };
  const account = await deps.newAccount(command, email);
  await requireWorkspace(deps, context, { code, config: account.config });
  const person = await account.write();
  const membership = await enterWorkspace(deps, context, { code, person, builder: auditContext });
  if (membership === undefined)
    throw new Problem('conflict', `the account cannot join the workspace \`${code}\`, which has just been changed`);
  const { tenantId: tenant_id, tenantCode: tenant_code } = membership.workspace;
  // Its next token is for the workspace.
  await account.settle(person, [chooseChange(person.id, { id: tenant_id, code: tenant_code })]);
  return { id: person.id, email: person.email, tenant_id, tenant_code, password: account.handOver(person) };
}

/** @throws Problem `validation_failed`, `workspace_suspended`, `conflict`. */
async function requireWorkspace(
  deps: MembershipDeps,
  { env, orgCode }: OrgContext,
  { code, config }: { readonly code: string; readonly config: ConfigSet },
): Promise<void> {
  const orgScope = deps.stores[env].scope(orgScopeName(orgCode));
  const row = (await findIntent(orgScope, code))?.row;
  if (row?.suspended !== undefined) throw workspaceSuspended();
  if (row !== undefined && row.state !== 'removed') return;
  const isToFound = row === undefined && code === defaultWorkspaceCode;
  if (isToFound && (await isSingleTenancy(deps, { env, orgCode }))) {
    if (settingOf(config, env, founderEmail) === null) return;
    throw new Problem('conflict', `the workspace \`${code}\` is founded by the address in \`tenancy.founder_email\``);
  }
  const message = `there is no workspace \`${code}\` in \`${env}\``;
  throw invalidInput('validation_failed', [{ pointer: '/tenant_code', code: 'unknown_reference', message }]);
}
