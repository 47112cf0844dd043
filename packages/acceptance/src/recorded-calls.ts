/** Calls of an app that are recorded, and what a draft of a policy would have decided about them. */
import assert from 'node:assert/strict';
import type { Reply } from './call.ts';
import { type AppUser, create, defineEntity, definition, foundedOrg, manage, memberWith, type Org } from './org.ts';
import type { Gateways } from './platform.ts';

interface Group {
  readonly user_id: string;
  readonly email: string;
  readonly action: string;
  readonly resource: string;
  readonly calls: number;
  readonly decision: string;
  readonly reason: string;
  readonly statement?: { readonly Sid?: string; readonly Effect: string };
  readonly changed_since?: true;
}

export interface Replayed {
  readonly decisions: number;
  readonly stands_for: number;
  readonly unchanged: { readonly count: number; readonly stands_for: number };
  readonly newly_denied: { readonly count: number; readonly stands_for: number; readonly items: readonly Group[] };
  readonly newly_allowed: { readonly count: number; readonly stands_for: number; readonly items: readonly Group[] };
  readonly undecidable: { readonly count: number; readonly reasons: readonly { readonly reason: string }[] };
  readonly changed_since: number;
  readonly truncated: boolean;
}

export interface Shop {
  readonly org: Org;
  readonly founder: AppUser;
  readonly clerk: AppUser;
  readonly policyId: string;
}

/** An org with orders, and a member who holds one policy. */
export async function shop(gateways: Gateways, statements: readonly object[]): Promise<Shop> {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(
    org,
    definition('order', [
      { name: 'title', colType: 'string' },
      { name: 'status', colType: 'string' },
      { name: 'secret', colType: 'encrypted' },
    ]),
  );
  const clerk = await memberWith(founder, []);
  const policy = await create(founder, 'aclpolicy', { name: 'clerks', statements });
  await create(founder, 'useraclpolicy', { user_id: clerk.id, acl_policy_id: policy.id });
  return { org, founder, clerk, policyId: policy.id };
}

export function ask<Body>({ org, founder }: Shop, path: string, body: object): Promise<Reply<Body>> {
  return manage<Body>(org, 'POST', path, { body: { tenant_code: founder.tenantCode, ...body } });
}

export async function replayed(of: Shop, body: object): Promise<Replayed> {
  const reply = await ask<Replayed>(of, '/acl/replay', body);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}
