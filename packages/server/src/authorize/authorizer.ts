import type { CompiledAccess, Ruling } from '../access/port.ts';
import { type DecisionLog, logDenial } from '../iam/port.ts';
import { Problem } from '../lib/problem.ts';
import { requireWorkspace } from '../people/port.ts';
import type { RecordData, RecordPolicy, RecordStates } from '../records/port.ts';
import { type AuthorizationRequest, contextOf, type RecordState, type Requester } from './authorization-request.ts';

/** Decides what one caller asks for. */
export interface Authorizer {
  decide(request: AuthorizationRequest): Decision;
  /** For what a request asks on its way: a refusal leaves something out of the answer, and the request is answered. */
  readonly aside: Authorizer;
  /** For decisions that leave no record: they decide how the answer is found, or are a part of another decision. */
  readonly plain: PolicyAuthorizer;
}

/** The ruling of policies on a request, as far as it is known. */
export interface Decision {
  readonly request: AuthorizationRequest;
  readonly ruling: Ruling;
  /** The same with a record that the request is about. */
  evaluate(record: RecordData, states?: RecordStates): ReturnType<Ruling['evaluate']>;
  /** Keeps a refusal so that a builder can look it up. */
  refuse(known: RecordState): Refusal;
}

type Refusal = ReturnType<typeof logDenial>;

/** Asks the policies of the caller. */
export class PolicyAuthorizer implements Authorizer {
  readonly requester: Requester;
  readonly access: CompiledAccess;
  readonly #log: Pick<DecisionLog, 'add'>;

  constructor(log: Pick<DecisionLog, 'add'>, requester: Requester) {
    this.requester = requester;
    this.access = requireWorkspace(requester.caller).access;
    this.#log = log;
  }

  get aside(): this {
    return this;
  }

  get plain(): this {
    return this;
  }

  decide(request: AuthorizationRequest): Decision {
    const { action, resource, verb } = request;
    const known = verb === undefined ? nothingElse : recordPending;
    const ruling = this.access.rule(action, resource, () => contextOf(this.requester, request, known));
    return new PolicyDecision(this, request, ruling);
  }

  /** A request for each of the records whose paths begin as its own. */
  decideEach(request: AuthorizationRequest): Decision {
    const { action, resource } = request;
    return new PolicyDecision(this, request, this.access.ruleOnSome(action, resource, this.#contextOf(request)));
  }

  /** The decision of the Denies alone. */
  denialsOfEach(request: AuthorizationRequest): Decision {
    const { action, resource } = request;
    return new PolicyDecision(this, request, this.access.denials(action, resource, this.#contextOf(request)));
  }

  #contextOf(request: AuthorizationRequest): Parameters<CompiledAccess['denials']>[2] {
    return () => contextOf(this.requester, request);
  }

  refuse(request: AuthorizationRequest, known: RecordState): Refusal {
    const { caller, requestId } = this.requester;
    const { claims } = caller;
    const { action, resource, about } = request;
    return logDenial(this.#log, {
      orgCode: claims.org,
      access: this.access,
      context: () => contextOf(this.requester, request, known),
      entity: about?.entity,
      request_id: requestId,
      env: claims.env,
      tenant_code: claims.tenant_code ?? '',
      user_id: claims.sub,
      email: claims.email,
      ...(claims.act === undefined ? {} : { act: claims.act.sub }),
      action,
      resource,
    });
  }
}

const nothingElse: RecordState = {};
const recordPending: RecordState = { pending: ['record'] };

class PolicyDecision implements Decision {
  readonly request: AuthorizationRequest;
  readonly ruling: Ruling;
  readonly #authorizer: PolicyAuthorizer;

  constructor(authorizer: PolicyAuthorizer, request: AuthorizationRequest, ruling: Ruling) {
    this.#authorizer = authorizer;
    this.request = request;
    this.ruling = ruling;
  }

  evaluate(record: RecordData, states?: RecordStates): ReturnType<Ruling['evaluate']> {
    return this.ruling.evaluate(record, undefined, states);
  }

  refuse(known: RecordState): Refusal {
    return this.#authorizer.refuse(this.request, known);
  }
}

/** @throws Problem `access_denied`, unless the body may still allow it. */
export function assertAllowed(authorizer: Authorizer, request: AuthorizationRequest): 'allowed' | 'undecided' {
  const decision = authorizer.decide(request);
  const { outcome, needs } = decision.ruling;
  if (outcome === 'allowed' || (outcome === 'undecided' && needs.includes('body'))) return outcome;
  throw denialOf(decision);
}

/** The refusal of what a request asks for, or of one record. */
export function denialOf(decision: Decision, ...[record, errors, states]: Parameters<RecordPolicy['denied']>): Problem {
  const refusal = decision.refuse(record === undefined ? recordPending : { record, states });
  const reason = refusal.decision === 'explicit_deny' ? 'explicit_deny' : 'implicit_deny';
  const why = errors?.map(({ message }) => message).join('; ') ?? refusal.why;
  const details = { reason, decision_id: refusal.decision_id, ...(errors === undefined ? {} : { errors }) };
  return new Problem('access_denied', `\`${decision.request.action}\` is not allowed: ${why}`, details);
}
