/** An operator who gives orgs plans, and what their builders see of it. */
import assert from 'node:assert/strict';
import { type CallOptions, call, type Reply } from './call.ts';
import { manage, type Org } from './org.ts';
import type { Gateways } from './platform.ts';

export const operatorKey = 'g7Vt2kQx9LmZp4RwYb6NsHc3JdFe8TuA';
export const withOperator = { env: { FREEHOLD_OPERATOR_KEY: operatorKey } };

export interface Limits {
  readonly api_calls_per_day?: number;
  readonly api_calls_per_month?: number;
  readonly records?: number;
  readonly entities?: number;
  readonly indexes?: number;
  readonly policies?: number;
}

export interface ShownPlan {
  readonly org: string;
  readonly name: string;
  readonly limits: Limits;
  readonly updated_at: string | null;
}

export function askPlan<Body = ShownPlan>(
  { management }: Gateways,
  method: string,
  code: string,
  options: CallOptions = {},
): Promise<Reply<Body>> {
  return call<Body>(method, `${management}/platform/orgs/${code}/plan`, { token: operatorKey, ...options });
}

export async function givePlan(org: Org, limits: Limits, name = 'own'): Promise<void> {
  const reply = await askPlan(org, 'PUT', org.code, { body: { name, limits } });
  assert.equal(reply.status, 200, reply.text);
}

export interface ShownUsage {
  readonly api_calls: {
    readonly today: number;
    readonly month: number;
    readonly by_day: readonly { readonly date: string; readonly calls: number; readonly records_added: number }[];
  };
  readonly records: { readonly total: number; readonly by_entity: Readonly<Record<string, number>> };
}

export interface Observability {
  readonly org: string;
  readonly plan: Omit<ShownPlan, 'org'> & { readonly upgrade_url: string };
  readonly usage: ShownUsage & {
    readonly by_workspace: readonly {
      readonly env: string;
      readonly tenant_code: string | null;
      readonly api_calls: { readonly today: number; readonly month: number };
      readonly records: ShownUsage['records'];
    }[];
  };
  readonly environments: { readonly test: ShownUsage; readonly prod: ShownUsage | null };
  readonly flags: Readonly<Record<'apiLimitExceeded' | 'dailyLimitExceeded' | 'recordLimitExceeded', boolean>>;
  readonly alert_percents: readonly number[];
  readonly alerts: readonly {
    readonly metric: string;
    readonly percent: number;
    readonly level: string;
    readonly used: number;
    readonly limit: number;
    readonly since: string | null;
    readonly message: string;
  }[];
  readonly forecast: Readonly<Record<keyof Limits, string | null>>;
  readonly caps: Readonly<Record<'entities' | 'indexes' | 'policies', ShownCap>>;
  readonly resets_at: string;
  readonly explain?: { readonly figure: string; readonly value: number; readonly parts: readonly { value: number }[] };
}

interface ShownCap {
  readonly limit: number | null;
  readonly test: number;
  readonly prod: number | null;
  readonly workspaces?: readonly { readonly env: string; readonly tenant_code: string; readonly used: number }[];
}

export async function observe(org: Org, query = ''): Promise<Observability> {
  const reply = await manage<Observability>(org, 'GET', `/observability${query}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

/** The actions that the org's audit log tells of, the latest first. */
export async function auditOf(org: Org): Promise<readonly string[]> {
  const reply = await manage<{ readonly items: readonly { readonly action: string }[] }>(org, 'GET', '/audit');
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items.map(({ action }) => action);
}
