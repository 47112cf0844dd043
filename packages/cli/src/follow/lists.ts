/** What a platform keeps of what happened lately, as lists to follow. */
import type { Context } from '../frame/context.ts';
import type { FollowedItem, FollowedList } from './follow.ts';

export interface FollowChoice {
  readonly env: 'test' | 'prod';
  readonly workspace: string | undefined;
}

export function denials(context: Context, { env, workspace }: FollowChoice): FollowedList {
  return {
    name: 'denials',
    read: async (pagesize) => {
      const query = { env, pagesize, ...(workspace === undefined ? {} : { tenant_code: workspace }) };
      const reply = await context.management().call('findDecision', { query });
      const items = 'items' in reply ? reply.items : [];
      return items.map((item): FollowedItem => {
        const { decision_id: key, at, tenant_code, email, action, resource, reason } = item;
        return {
          kind: 'denial',
          key,
          at,
          item,
          line: `${tenant_code} ${email} ${action} on ${resource}: ${reason} (${key})`,
        };
      });
    },
  };
}

/** A run is shown when it begins, and whenever its state has changed. */
export function runs(context: Context, { env, workspace }: FollowChoice): FollowedList {
  return {
    name: 'runs',
    read: async (pagesize) => {
      const { items } = await context.management().call('listRuns', { query: { env, pagesize } });
      return items.filter(inWorkspace(workspace)).map((item): FollowedItem => {
        const { id, block, tenant_code, trigger, state, started_at, ended_at, error } = item;
        const why =
          error === undefined ? '' : `: ${error.code}${error.message === undefined ? '' : ` ${error.message}`}`;
        const line = `${tenant_code} run of ${block} by ${trigger.kind} is ${state}${why} (${id})`;
        return { kind: 'run', key: `${id} ${state}`, at: ended_at ?? started_at, item, line };
      });
    },
  };
}

/** A delivery is shown after each of its attempts. */
export function deliveries(context: Context, { env, workspace }: FollowChoice): FollowedList {
  return {
    name: 'deliveries',
    read: async (pagesize) => {
      const { items } = await context.management().call('listDeliveries', { query: { env, pagesize } });
      return items.filter(inWorkspace(workspace)).map((item): FollowedItem => {
        const { id, event, entity, op, tenant_code, state, attempts } = item;
        const last = attempts.at(-1);
        const how =
          last === undefined ? '' : ` (attempt ${attempts.length}: ${last.status ?? 'no answer'}, ${last.ms} ms)`;
        const line = `${tenant_code} delivery of ${event} after ${op} of ${entity} is ${state}${how} (${id})`;
        return { kind: 'delivery', key: `${id} ${state} ${last?.at ?? ''}`, at: last?.at ?? '', item, line };
      });
    },
  };
}

/** For org admins only. */
export function audit(context: Context, { env, workspace }: FollowChoice): FollowedList {
  return {
    name: 'audit entries',
    read: async (pagesize) => {
      const query = { env, pagesize, ...(workspace === undefined ? {} : { tenant_code: workspace }) };
      const { items } = await context.management().call('listAuditEntries', { query });
      return items.map((item): FollowedItem => {
        const { at, actor, request_id, action, target } = item;
        const named = target === undefined ? '' : ` ${target.kind} ${target.name ?? target.id}`;
        const key = `${request_id} ${at} ${action} ${target?.id ?? ''}`;
        return { kind: 'audit', key, at, item, line: `${action}${named} by ${actor.kind} ${actor.id}` };
      });
    },
  };
}

function inWorkspace(code: string | undefined): (item: { readonly tenant_code: string }) => boolean {
  return ({ tenant_code }) => code === undefined || tenant_code === code;
}
