import { noContext } from '../../access/context.ts';
import type { AuthorizedCall } from '../../entities/caller-access.ts';
import type { CompiledEntity } from '../../entities/compile-entity.ts';
import type { ConfigReader } from '../../entities/config-reader.ts';
import type { Actor, Environment } from '../../entities/workspace.ts';
import type { WriteContext } from '../../entities/write-loop.ts';
import type { DecisionLog } from '../../iam/decision-log.ts';
import type { AppCaller } from '../../identity/app-sessions.ts';
import { notFound, Problem } from '../../lib/problem.ts';

export interface AuthorizeParts {
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly decisions: DecisionLog;
}

/** What is asked: the verb, the entity's name as the path has it, and the path after `/app/{orgCode}`. */
export interface AccessQuestion extends Pick<ActionQuestion, 'resource' | 'requestId'> {
  readonly verb: string;
  readonly entityName: string;
}

/** The action that is asked for, and the path after `/app/{orgCode}`. */
export interface ActionQuestion {
  readonly action: string;
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
): Promise<AuthorizedCall> {
  const { claims } = caller;
  const { workspace, access } = placeOf(caller);
  demandVerb(parts, caller, question);
  const config = await parts.configs[claims.env].current(claims.org);
  const entity: CompiledEntity | undefined = await config.entity(question.entityName);
  if (entity === undefined) throw notFound();
  return {
    workspace,
    config,
    entity,
    actor: actorOf(caller),
    access: {
      may: (verb, entityName, resource) => access.rule(verb + entityName, resource, noContext).outcome === 'allowed',
      demand: (verb, resource = question.resource) => demandVerb(parts, caller, { ...question, verb, resource }),
    },
  };
}

/** The same for what is about no entity. @throws Problem `workspace_required`, `access_denied`. */
export async function authorizeAction(
  parts: AuthorizeParts,
  caller: AppCaller,
  question: ActionQuestion,
): Promise<WriteContext> {
  const { workspace } = placeOf(caller);
  demand(parts, caller, question);
  const config = await parts.configs[caller.claims.env].current(caller.claims.org);
  return { workspace, config, actor: actorOf(caller) };
}

/** Where a caller's requests work. @throws Problem `workspace_required`. */
export function placeOf({ place }: AppCaller): NonNullable<AppCaller['place']> {
  if (place === undefined) throw new Problem('workspace_required', 'the token is of no workspace');
  return place;
}

export function actorOf({ claims }: AppCaller): Actor {
  return { userId: claims.sub, claims: claims as unknown as Record<string, unknown> };
}

function demandVerb(parts: AuthorizeParts, caller: AppCaller, { verb, entityName, ...asked }: AccessQuestion): void {
  demand(parts, caller, { ...asked, action: verb + entityName });
}

/** @throws Problem `access_denied`, with the decision kept for whoever looks into it. */
function demand(parts: AuthorizeParts, caller: AppCaller, question: ActionQuestion): void {
  const outcome = caller.place?.access.rule(question.action, question.resource, noContext).outcome ?? 'implicit_deny';
  if (outcome === 'allowed') return;
  throw denied(parts, caller, { ...question, outcome: outcome === 'undecided' ? 'implicit_deny' : outcome });
}

interface Denial extends ActionQuestion {
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
    ...(place === undefined ? {} : { explanation: place.access.explain(action, resource, noContext) }),
  });
  const why = outcome === 'explicit_deny' ? 'a policy denies it' : 'no policy allows it';
  return new Problem('access_denied', `\`${action}\` is not allowed: ${why}`, { reason: outcome, decision_id });
}
