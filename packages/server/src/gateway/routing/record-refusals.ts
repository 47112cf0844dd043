import type { AuditActor } from '../../audit/audit-entry.ts';
import type { RefusalLog } from '../../audit/refusal-log.ts';
import { Problem } from '../../lib/problem.ts';

/** A known caller's call of a route. */
export interface ToldCall {
  readonly route: { readonly refusedAs?: string };
  readonly params: Readonly<Record<string, string>>;
  readonly requestId: string;
  readonly actor: AuditActor;
  readonly orgCode?: string;
}

/**
 * Does what a route says, and tells the audit log of a refusal where the route tells of them. What the platform cannot do
 * at this moment is no refusal, and neither is a call too many.
 */
export async function recordRefusals<Result>(
  log: RefusalLog,
  { route, params, requestId, actor, orgCode }: ToldCall,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { refusedAs: action } = route;
    if (action === undefined || !(error instanceof Problem) || error.status >= 429) throw error;
    const id = params.id ?? params.name ?? params.kid ?? params.org ?? params.env;
    const target = id === undefined || !plainId.test(id) ? {} : { target: { kind: action.split('.')[0] ?? '', id } };
    const org = orgCode === undefined ? {} : { orgCode };
    await log.tell({ requestId, actor, ...org, action, ...target, problem: error });
    throw error;
  }
}

const plainId = /^[\w.-]{1,64}$/;
