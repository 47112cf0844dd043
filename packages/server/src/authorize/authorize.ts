import { runAction } from '../access/port.ts';
import type { AuditActor } from '../audit/audit-entry.ts';
import { type ConfigReader, type ConfigSet, itemKey } from '../config/port.ts';
import type { DecisionLog } from '../iam/port.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import { notFound } from '../lib/problem.ts';
import { type AppCaller, requireWorkspace } from '../people/port.ts';
import { type Actor, type AuthorizedCall, assertNotDenied, type RunRequest } from '../records/port.ts';
import type { CompiledEntity } from '../schema/port.ts';
import type { Environment } from '../tenancy/port.ts';
import type { ActionContext } from '../workspaces/port.ts';
import { type AuthorizationRequest, type RecordRequest, type Requester, withBody } from './authorization-request.ts';
import { assertAllowed } from './authorizer.ts';
import { recordPolicyAlone, recordPolicyFor } from './record-policies.ts';
import { authorizerOf, type RecordedRequester } from './recording-authorizer.ts';

export interface AuthorizeDeps {
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly decisions: DecisionLog;
}

/**
 * Decides by the caller's policies and the request alone, its values read by the entity's definition; a caller who may do
 * nothing with an entity learns nothing of it, not even whether it is there. What depends on the record is left to the
 * call.
 * @throws Problem `workspace_required`, `access_denied`, `not_found`.
 */
export function authorize(
  { configs, decisions }: AuthorizeDeps,
  requester: RecordedRequester,
  sent: RecordRequest,
): MaybePromise<AuthorizedCall> {
  const { caller } = requester;
  const { env, org } = caller.claims;
  const { workspace } = requireWorkspace(caller);
  const { verb, entityName } = sent;
  const authorizer = authorizerOf(decisions, requester);
  const callOf = (config: ConfigSet, entity: CompiledEntity | undefined): AuthorizedCall => {
    // Without such an entity, the values that the request sends are taken as they are.
    const request: RecordRequest = entity === undefined ? sent : { ...sent, about: { verb, entity } };
    const rows = assertNotDenied(recordPolicyFor(authorizer, request));
    if (entity === undefined) throw notFound();
    return {
      workspace,
      config,
      entity,
      actor: actorOf(requester),
      rows,
      explains: explainsOf(caller),
      access: {
        rows: ({ entity: other, isHint, ...alone }) => {
          const { plain, aside } = authorizer;
          return recordPolicyAlone(isHint === true ? plain : aside, { ...alone, entityName: other.name }, other);
        },
        rowsOfBody: (body) => recordPolicyFor(authorizer, withBody(request, body)),
        assertAllowed: (action) =>
          void assertAllowed(authorizer, { ...request, verb: undefined, action: action + entityName }),
      },
    };
  };
  return andThen(configs[env].current(org), (config) =>
    andThen(config.entity(entityName), (entity) => callOf(config, entity)),
  );
}

/** A builder may act for any user of a workspace, so whatever he asks is his to know. */
function explainsOf({ kind, claims }: AppCaller): AuthorizedCall['explains'] {
  if (claims.act !== undefined) return 'every_list';
  return kind === 'service_key' ? 'lists_of_all' : undefined;
}

/** An action that is about no record and is allowed unless the body, which is read later, decides otherwise. */
interface AuthorizedAction {
  readonly context: ActionContext;
  /** Whether the body decides. */
  readonly isOpen: boolean;
  /** @throws Problem `access_denied`. */
  assertBodyAllowed(body: unknown): void;
}

/** The same for what is about no record. @throws Problem `workspace_required`, `access_denied`. */
export function authorizeAction(
  { configs, decisions }: AuthorizeDeps,
  requester: RecordedRequester,
  request: AuthorizationRequest,
): MaybePromise<AuthorizedAction> {
  const { env, org } = requester.caller.claims;
  const { workspace } = requireWorkspace(requester.caller);
  const authorizer = authorizerOf(decisions, requester);
  const isOpen = assertAllowed(authorizer, request) === 'undecided';
  return andThen(configs[env].current(org), (config) => ({
    context: {
      workspace,
      config,
      actor: actorOf(requester),
      allows: (action) => authorizer.plain.decide({ ...request, action }).ruling.outcome === 'allowed',
    },
    isOpen,
    assertBodyAllowed: (body) => {
      if (isOpen) assertAllowed(authorizer, withBody(request, body));
    },
  }));
}

/**
 * Decides as a call of the block would be decided: by the policies first, so that a caller who may not run a block does
 * not learn whether it is there.
 * @throws Problem `workspace_required`, `access_denied`, `not_found`.
 */
export async function mayRun(
  deps: AuthorizeDeps,
  requester: RecordedRequester,
  { name, path, input }: RunRequest,
): Promise<'allowed' | 'undecided'> {
  const { context, isOpen, assertBodyAllowed } = await authorizeAction(deps, requester, {
    action: runAction({ name }),
    method: 'POST',
    resource: `/logicblocks/${name}${path === undefined ? '' : `/${path}`}`,
    params: path === undefined ? { name } : { name, path },
    query: '',
    takesBody: true,
  });
  if (input !== undefined) assertBodyAllowed(input);
  if (!context.config.items.has(itemKey({ kind: 'logicblock', name }))) throw notFound();
  return isOpen && input === undefined ? 'undecided' : 'allowed';
}

export function actorOf({ caller, requestId }: Pick<Requester, 'caller' | 'requestId'>): Actor {
  const { claims } = caller;
  const auditCaller = { actor: auditActorOf(caller), request_id: requestId };
  return { userId: claims.sub, claims: claims as unknown as Record<string, unknown>, auditCaller };
}

/** An impersonating builder is recorded as the actor. */
function auditActorOf({ kind, claims: { sub, act }, block = '' }: AppCaller): AuditActor {
  if (kind === 'app') return { kind: 'automation', id: block };
  if (act !== undefined) return { kind: 'org_user', id: act.sub };
  return { kind: kind === 'service_key' ? 'service_key' : 'app_user', id: sub };
}
