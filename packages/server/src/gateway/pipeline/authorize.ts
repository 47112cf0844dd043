import type { CompiledAccess, Ruling, Verb } from '../../access/port.ts';
import type { AuditActor } from '../../audit/audit-entry.ts';
import type { ConfigReader, ConfigSet } from '../../config/port.ts';
import {
  type DecisionLog,
  explainCall,
  isWhole,
  type Judged,
  overBudget,
  type Refusals,
  routeOfVerb,
  rowsOf,
  rowsOfMany,
  withSecrets,
} from '../../iam/port.ts';
import type { ActionContext } from '../../identity/port.ts';
import { type AppCaller, requireWorkspace } from '../../identity/port.ts';
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import type { Actor, AuthorizedCall, NamedPolicyRequest } from '../../records/port.ts';
import {
  assertNotDenied,
  bothPolicies,
  type RecordData,
  type RecordGrant,
  type RecordPolicy,
} from '../../records/port.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import { type CallDecisions, LateDecision, type ObservedDecision } from './observed-decisions.ts';
import { contextOf, type KnownRequest, type PolicyRequest, type PolicyRequestFacts } from './policy-context.ts';

export interface AuthorizeDeps {
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly decisions: DecisionLog;
}

/** A request, and the caller who makes it. */
export interface AuthorizationRequest extends PolicyRequestFacts {
  readonly requestId: string;
  /** Left out where the decisions are none of a call of the caller. */
  readonly observed?: CallDecisions | undefined;
}

/** The verb that is asked for, and the name of the entity as the path has it. */
export interface AskedVerb {
  readonly verb: Verb;
  readonly entityName: string;
}

/**
 * Decides by the caller's policies and the request alone, its values read by the entity's definition; a caller who may do
 * nothing with an entity learns nothing of it, not even whether it is there. What depends on the record is left to the
 * call.
 * @throws Problem `workspace_required`, `access_denied`, `not_found`.
 */
export function authorize(
  deps: AuthorizeDeps,
  asking: AuthorizationRequest,
  asked: AskedVerb & PolicyRequest,
): MaybePromise<AuthorizedCall> {
  const { caller } = asking;
  const { claims } = caller;
  const { workspace } = requireWorkspace(caller);
  const authorizer = new Authorizer(deps, asking);
  const callOf = (config: ConfigSet, entity: CompiledEntity | undefined): AuthorizedCall => {
    const request = aboutEntity(asked, asked, entity);
    const rows = assertNotDenied(authorizer.rows(asked, request));
    if (entity === undefined) throw notFound();
    return {
      workspace,
      config,
      entity,
      actor: actorOf(asking),
      rows,
      explains: explainsOf(caller),
      access: {
        rows: ({ entity: other, isHint, ...alone }) => {
          const asks = isHint === true ? new Authorizer(deps, { ...asking, observed: undefined }) : authorizer;
          return asks.rowsAlone({ ...alone, entityName: other.name }, other);
        },
        rowsOfBody: (body) => authorizer.rows(asked, withBody(request, body)),
        assertAllowed: (verb) => void authorizer.assertAllowed(verb + asked.entityName, request),
      },
    };
  };
  return andThen(deps.configs[claims.env].current(claims.org), (config) =>
    andThen(config.entity(asked.entityName), (entity) => callOf(config, entity)),
  );
}

/** A builder may act for any user of a workspace, so whatever he asks is his to know. */
function explainsOf({ kind, claims }: AppCaller): AuthorizedCall['explains'] {
  if (claims.act !== undefined) return 'every_list';
  return kind === 'service_key' ? 'lists_of_all' : undefined;
}

/** What may be done that is about no record, as long as nothing is against it in the body, which is read later. */
export interface AuthorizedAction {
  readonly context: ActionContext;
  /** Whether the body decides. */
  readonly isOpen: boolean;
  /** @throws Problem `access_denied`. */
  assertBodyAllowed(body: unknown): void;
}

/** The same for what is about no record. @throws Problem `workspace_required`, `access_denied`. */
export function authorizeAction(
  deps: AuthorizeDeps,
  asking: AuthorizationRequest,
  asked: { readonly action: string } & PolicyRequest,
): MaybePromise<AuthorizedAction> {
  const { caller } = asking;
  const { workspace } = requireWorkspace(caller);
  const authorizer = new Authorizer(deps, asking);
  const isOpen = authorizer.assertAllowed(asked.action, asked) === 'undecided';
  return andThen(deps.configs[caller.claims.env].current(caller.claims.org), (config) => ({
    context: {
      workspace,
      config,
      actor: actorOf(asking),
      allows: (action) => authorizer.allows(action, asked),
    },
    isOpen,
    assertBodyAllowed: (body) => {
      if (isOpen) authorizer.assertAllowed(asked.action, withBody(asked, body));
    },
  }));
}

export function actorOf({ caller, requestId }: Pick<AuthorizationRequest, 'caller' | 'requestId'>): Actor {
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

/** A request that does one thing, as it would be made for that alone. */
export function requestAlone({
  verb,
  entityName,
  id,
  body,
  query = '',
}: NamedPolicyRequest): AskedVerb & PolicyRequest {
  return {
    verb,
    entityName,
    ...routeOfVerb({ verb, entityName }, id ?? ''),
    params: id === undefined ? { entity: entityName } : { entity: entityName, id },
    query,
    takesBody: body === undefined && (verb === 'create' || verb === 'update'),
    ...(body === undefined ? {} : { body }),
  };
}

/** @param entity undefined where there is none of that name: then what the request sends is taken as it is. */
function aboutEntity(
  request: PolicyRequest,
  { verb }: Pick<AskedVerb, 'verb'>,
  entity: CompiledEntity | undefined,
): PolicyRequest {
  return entity === undefined ? request : { ...request, about: { verb, entity } };
}

function withBody(request: PolicyRequest, body: unknown): PolicyRequest {
  return { ...request, body, takesBody: false };
}

const noneObserved: readonly ObservedDecision[] = [];

/** Asks the caller's policies. */
class Authorizer {
  readonly #deps: AuthorizeDeps;
  readonly #asking: AuthorizationRequest;
  readonly #access: CompiledAccess;
  /** Mostly one. */
  #observed: readonly ObservedDecision[] = noneObserved;
  /** The action that is counted, and not asked for again. */
  #counted: string | undefined;

  constructor(deps: AuthorizeDeps, asking: AuthorizationRequest) {
    this.#deps = deps;
    this.#asking = asking;
    this.#access = requireWorkspace(asking.caller).access;
  }

  rows({ verb, entityName }: AskedVerb, request: PolicyRequest, isAside = false): RecordPolicy | undefined {
    const action = verb + entityName;
    const ruling = this.#rule(action, { request, pending: ['record'] });
    // What a write leaves of the record is decided later.
    const observed = this.#observe(action, request, { ruling, isAside, isFinal: !isAside && verb !== 'update', verb });
    if (verb === 'update') {
      const entity = request.about?.entity;
      if (isWhole(ruling) && this.#rowsToGet(entityName, entity, request.params.id) === undefined) return undefined;
      const readable = (record: RecordData) => this.#grantToGet(entityName, entity, record);
      return rowsOf(ruling, { ...this.#refusals(action, request, observed), readable }, judgedBy(observed, request));
    }
    const isOfMany = verb === 'list' || verb === 'count';
    const own = isWhole(ruling)
      ? undefined
      : rowsOf(ruling, this.#refusals(action, request, observed), isOfMany ? undefined : judgedBy(observed, request));
    if (verb !== 'list' && verb !== 'count') return own;
    return bothPolicies(own, this.#rowsLeftByGet(entityName, request.about?.entity));
  }

  /** The same of what is asked for as a request of its own; of a `get` without an id, as one for each record. */
  rowsAlone(alone: NamedPolicyRequest, entity: CompiledEntity | undefined): RecordPolicy | undefined {
    const request = aboutEntity(requestAlone(alone), alone, entity);
    if (alone.verb !== 'get' || alone.id !== undefined) return this.rows(alone, request, true);
    const action = alone.verb + alone.entityName;
    const ruling = this.#access.ruleOnSome(action, request.resource, () => contextOf(this.#asking, { request }));
    return isWhole(ruling) ? undefined : rowsOfMany(ruling, this.#refusals(action, request));
  }

  #rowsToGet(entityName: string, entity: CompiledEntity | undefined, id: string | undefined): RecordPolicy | undefined {
    return this.rowsAlone({ verb: 'get', entityName, id }, entity);
  }

  #grantToGet(entityName: string, entity: CompiledEntity | undefined, record: RecordData): RecordGrant | undefined {
    const rows = this.#rowsToGet(entityName, entity, record.id);
    return rows === undefined ? { fields: undefined } : rows.judge(record);
  }

  /** A list hides records that a `get` by id would deny. */
  #rowsLeftByGet(entityName: string, entity: CompiledEntity | undefined): RecordPolicy | undefined {
    const action = `get${entityName}`;
    if (!this.#access.mayDeny(action)) return undefined;
    const get = { verb: 'get', entityName, id: '' } as const;
    const request = aboutEntity(requestAlone(get), get, entity);
    const ruling = this.#access.denials(action, request.resource, () => contextOf(this.#asking, { request }));
    return isWhole(ruling) ? undefined : rowsOfMany(ruling, this.#refusals(action, request));
  }

  allows(action: string, request: PolicyRequest): boolean {
    return this.#rule(action, { request }).outcome === 'allowed';
  }

  /** @throws Problem `access_denied`, unless the body may still allow it. */
  assertAllowed(action: string, request: PolicyRequest): 'allowed' | 'undecided' {
    const ruling = this.#rule(action, { request });
    const { outcome, needs } = ruling;
    const observed = this.#observe(action, request, { ruling, isAside: false, isFinal: true, verb: '' });
    if (outcome === 'allowed' || (outcome === 'undecided' && needs.includes('body'))) return outcome;
    throw this.#denial(action, request, { observed });
  }

  #rule(action: string, known: KnownRequest): Ruling {
    return this.#access.rule(action, known.request.resource, () => contextOf(this.#asking, known));
  }

  /**
   * What is noted of the decision about an action, also if it is asked for once more when the body is read. Undefined
   * where nothing is noted, or it is counted already.
   */
  #observe(action: string, request: PolicyRequest, { ruling, isAside, isFinal, verb }: Ruled): Observed | undefined {
    const { observed } = this.#asking;
    if (observed === undefined || (!isAside && this.#counted === action)) return undefined;
    for (const one of this.#observed)
      if (one.action === action && one.isAside === isAside) {
        one.ruled(request, ruling);
        return one;
      }
    if (isFinal && isWhole(ruling) && observed.count(this.#asking, action, request)) {
      this.#counted = action;
      return undefined;
    }
    if (verb === 'get' && !isAside && ruling.outcome === 'undecided')
      return new LateDecision(observed, this.#asking, action, ruling);
    const made = observed.about(this.#asking, { action, request, isAside });
    if (made === undefined) return undefined;
    made.ruled(request, ruling);
    this.#observed = this.#observed.length === 0 ? [made] : [...this.#observed, made];
    return made;
  }

  #refusals(action: string, request: PolicyRequest, observed?: Observed): Refusals {
    return {
      missing: (record, states) => {
        this.#keep(action, { request, record, states }, observed);
        return notFound();
      },
      denied: (record, errors, states) => this.#denial(action, request, { record, errors, states, observed }),
    };
  }

  #denial(action: string, request: PolicyRequest, { record, errors, states, observed }: DeniedRecord): Problem {
    const known = record === undefined ? { request, pending: ['record' as const] } : { request, record, states };
    const { decision_id, decision, over_budget } = this.#keep(action, known, observed);
    const reason = decision === 'explicit_deny' ? decision : 'implicit_deny';
    const why = errors?.map(({ message }) => message).join('; ') ?? (over_budget === true ? overBudget : whys[reason]);
    const details = { reason, decision_id, ...(errors === undefined ? {} : { errors }) };
    return new Problem('access_denied', `\`${action}\` is not allowed: ${why}`, details);
  }

  /** Keeps a denial so that a builder can look it up. */
  #keep(action: string, known: KnownRequest, observed: Observed | undefined) {
    const { caller, requestId } = this.#asking;
    const { claims } = caller;
    const { resource, about } = known.request;
    const context = () => withSecrets(contextOf(this.#asking, known), about?.entity);
    const explanation = explainCall(this.#access, { action, resource }, context);
    observed?.refused(explanation.decision, known);
    const decision_id = this.#deps.decisions.add(claims.org, {
      request_id: requestId,
      env: claims.env,
      tenant_code: claims.tenant_code ?? '',
      user_id: claims.sub,
      email: claims.email,
      ...(claims.act === undefined ? {} : { act: claims.act.sub }),
      action,
      resource,
      explanation,
    });
    return { decision_id, decision: explanation.decision, over_budget: explanation.over_budget };
  }
}

type Observed = Pick<ObservedDecision, 'judged' | 'refused'>;

interface Ruled {
  readonly ruling: Ruling;
  readonly isAside: boolean;
  /** Whether an action that is allowed whole stays so. */
  readonly isFinal: boolean;
  readonly verb: Verb | '';
}

function judgedBy(observed: Observed | undefined, request: PolicyRequest): Judged | undefined {
  if (observed === undefined) return undefined;
  return (record, states, isAllowed) => observed.judged(request, { record, states }, isAllowed);
}

interface DeniedRecord {
  readonly observed: Observed | undefined;
  readonly record?: KnownRequest['record'];
  readonly states?: KnownRequest['states'];
  readonly errors?: Parameters<Refusals['denied']>[1];
}

const whys = { explicit_deny: 'a policy denies it', implicit_deny: 'no policy allows it' } as const;
