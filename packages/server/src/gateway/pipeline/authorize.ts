import type { Verb } from '../../access/verbs.ts';
import type { CompiledEntity } from '../../entities/compile-entity.ts';
import type { ConfigReader } from '../../entities/config-reader.ts';
import type { Environment } from '../../entities/workspace.ts';
import type { RecordCall } from '../../entities/write-loop.ts';
import type { DecisionLog } from '../../iam/decision-log.ts';
import type { AppCaller } from '../../identity/app-sessions.ts';
import { notFound, Problem } from '../../lib/problem.ts';

export interface AuthorizeParts {
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly decisions: DecisionLog;
}

/** What is asked: the verb, the entity's name as the path has it, and the path after `/app/{orgCode}`. */
export interface AccessQuestion {
  readonly verb: Verb;
  readonly entityName: string;
  readonly resource: string;
  readonly requestId: string;
}

/**
 * Decides by the caller's policies alone, before anything of the entity is looked at; so a caller who may do nothing
 * with an entity learns nothing of it, not even whether it is there.
 * @throws Problem `workspace_required`, `access_denied`, `not_found`.
 */
export async function authorize(
  parts: AuthorizeParts,
  caller: AppCaller,
  question: AccessQuestion,
): Promise<RecordCall> {
  const { claims, place } = caller;
  if (place === undefined) throw new Problem('workspace_required', 'the token is of no workspace');
  const action = question.verb + question.entityName;
  const outcome = place.access.decide(action, question.resource);
  if (outcome !== 'allowed') throw denied(parts, caller, { ...question, action, outcome });
  const set = await parts.configs[claims.env].current(claims.org);
  const entity: CompiledEntity | undefined = await set.entity(question.entityName);
  if (entity === undefined) throw notFound();
  return {
    workspace: place.workspace,
    entity,
    actor: { userId: claims.sub, claims: claims as unknown as Record<string, unknown> },
  };
}

interface Denial extends AccessQuestion {
  readonly action: string;
  readonly outcome: 'explicit_deny' | 'implicit_deny';
}

function denied(parts: AuthorizeParts, caller: AppCaller, denial: Denial): Problem {
  const { claims, place } = caller;
  const { action, resource, outcome } = denial;
  const decision_id = parts.decisions.add(claims.org, {
    request_id: denial.requestId,
    env: claims.env,
    tenant_code: claims.tenant_code ?? '',
    user_id: claims.sub,
    action,
    resource,
    ...(place === undefined ? {} : { explanation: place.access.explain(action, resource) }),
  });
  const why = outcome === 'explicit_deny' ? 'a policy denies it' : 'no policy allows it';
  return new Problem('access_denied', `\`${action}\` is not allowed: ${why}`, { reason: outcome, decision_id });
}
