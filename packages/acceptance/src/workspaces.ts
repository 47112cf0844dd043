/** Workspaces as an app's users make and change them. */
import assert from 'node:assert/strict';
import type { Reply } from './call.ts';
import { type AppUser, act, exchangeToken, manage, newEmail, type Org, signIn, signUp } from './org.ts';
import type { Gateways } from './platform.ts';

export interface Tenant {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly role: string;
  readonly current: boolean;
  readonly suspended: boolean;
  readonly joined_at: string;
}

/** An org whose people arrive in no workspace. */
export async function multiOrg(gateways: Gateways): Promise<Org> {
  const org = await signUp(gateways);
  await putSetting(org, 'tenancy', 'tenancy_type', 'multi');
  return org;
}

export async function putSetting(org: Org, group: string, name: string, value: unknown): Promise<void> {
  const reply = await manage(org, 'PUT', '/org/settings', { body: { group, name, value } });
  assert.equal(reply.status, 200, reply.text);
}

/** The person with a fresh token. */
export async function refreshed(user: AppUser): Promise<AppUser> {
  const reply = await exchangeToken(user.org, user.token);
  assert.equal(reply.status, 200, reply.text);
  return { ...user, token: reply.body.token, tenantId: reply.body.tenant_id, tenantCode: reply.body.tenant_code };
}

export interface CreatedWorkspace {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly current: boolean;
}

export function makeWorkspace(user: AppUser, body: unknown): Promise<Reply<CreatedWorkspace>> {
  return act<CreatedWorkspace>(user, 'POST', '/user/workspace', { body });
}

/** A new person with a workspace of its own, and a token of it. */
export async function founderOf(org: Org, name = 'Acme'): Promise<AppUser> {
  const user = await signIn(org, newEmail('founder'));
  const made = await makeWorkspace(user, { name });
  assert.equal(made.status, 201, made.text);
  return refreshed(user);
}

export async function tenantsOf(user: AppUser): Promise<readonly Tenant[]> {
  const reply = await act<{ readonly items: readonly Tenant[] }>(user, 'GET', '/user/tenants');
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
}
