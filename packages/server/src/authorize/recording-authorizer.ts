import type { Ruling } from '../access/port.ts';
import type { DecisionLog } from '../iam/port.ts';
import type { RecordData, RecordStates } from '../records/port.ts';
import type { AuthorizationRequest, RecordState, Requester } from './authorization-request.ts';
import { type Authorizer, type Decision, PolicyAuthorizer } from './authorizer.ts';
import { isWhole } from './record-policies.ts';
import type { CallDecisions, ObservedDecision } from './recorded-calls.ts';

/** A requester, and what is recorded of its call; left out where the decisions are none of a call of the caller. */
export interface RecordedRequester extends Requester {
  readonly recording?: CallDecisions | undefined;
}

export function authorizerOf(log: Pick<DecisionLog, 'add'>, requester: RecordedRequester): Authorizer {
  const plain = new PolicyAuthorizer(log, requester);
  return requester.recording === undefined ? plain : new RecordingAuthorizer(plain, requester.recording);
}

const noneObserved: readonly ObservedDecision[] = [];

/** Notes what another authorizer decides. */
class RecordingAuthorizer implements Authorizer {
  readonly plain: PolicyAuthorizer;
  readonly #call: CallDecisions;
  readonly #isAside: boolean;
  #madeAside: RecordingAuthorizer | undefined;
  /** Mostly one. */
  #observed: readonly ObservedDecision[] = noneObserved;
  /** The action that is counted, and not noted again. */
  #counted: string | undefined;

  constructor(plain: PolicyAuthorizer, call: CallDecisions, isAside = false) {
    this.plain = plain;
    this.#call = call;
    this.#isAside = isAside;
  }

  get aside(): RecordingAuthorizer {
    if (this.#isAside) return this;
    this.#madeAside ??= new RecordingAuthorizer(this.plain, this.#call, true);
    return this.#madeAside;
  }

  decide(request: AuthorizationRequest): Decision {
    const decision = this.plain.decide(request);
    const observed = this.#observe(request, decision.ruling);
    return observed === undefined ? decision : new RecordedDecision(decision, observed);
  }

  /**
   * Records the decision about an action, also if it is asked for once more when the body is read. Undefined where
   * nothing is recorded, or it is counted already.
   */
  #observe(request: AuthorizationRequest, ruling: Ruling): Observed | undefined {
    const { action, verb } = request;
    if (this.#counted === action) return undefined;
    for (const one of this.#observed)
      if (one.action === action) {
        one.ruled(request, ruling);
        return one;
      }
    const { requester } = this.plain;
    if (!this.#isAside) {
      // The policy that an update leaves for the record is decided later.
      if (verb !== 'update' && isWhole(ruling) && this.#call.count(requester, request)) {
        this.#counted = action;
        return undefined;
      }
      if (verb === 'get' && ruling.outcome === 'undecided') return new LateDecision(this.#call, requester, ruling);
    }
    const made = this.#call.about(requester, request, this.#isAside);
    if (made === undefined) return undefined;
    made.ruled(request, ruling);
    this.#observed = this.#observed.length === 0 ? [made] : [...this.#observed, made];
    return made;
  }
}

type Observed = Pick<ObservedDecision, 'evaluated' | 'refused'>;

class RecordedDecision implements Decision {
  readonly request: AuthorizationRequest;
  readonly ruling: Ruling;
  readonly #decision: Decision;
  readonly #observed: Observed;
  /** A list is answered with the records that are allowed, whichever they are. */
  readonly #isOfMany: boolean;

  constructor(decision: Decision, observed: Observed) {
    const { verb } = decision.request;
    this.request = decision.request;
    this.ruling = decision.ruling;
    this.#decision = decision;
    this.#observed = observed;
    this.#isOfMany = verb === 'list' || verb === 'count';
  }

  evaluate(record: RecordData, states?: RecordStates): ReturnType<Ruling['evaluate']> {
    const judgement = this.#decision.evaluate(record, states);
    if (!this.#isOfMany) this.#observed.evaluated(this.request, { record, states }, judgement.outcome === 'allowed');
    return judgement;
  }

  refuse(known: RecordState): ReturnType<Decision['refuse']> {
    const refusal = this.#decision.refuse(known);
    this.#observed.refused(this.request, known, refusal.decision);
    return refusal;
  }
}

/**
 * The decision about one record that is not known yet. Once the record is allowed the call is mostly counted alone, so
 * nothing is kept of it before.
 */
class LateDecision implements Observed {
  readonly #call: CallDecisions;
  readonly #requester: Requester;
  readonly #ruling: Ruling;
  #isCounted = false;
  #made: ObservedDecision | undefined;

  constructor(call: CallDecisions, requester: Requester, ruling: Ruling) {
    this.#call = call;
    this.#requester = requester;
    this.#ruling = ruling;
  }

  evaluated(request: AuthorizationRequest, known: RecordState, isAllowed: boolean): void {
    if (this.#isCounted) return;
    const isNew = this.#made === undefined;
    if (isAllowed && isNew && this.#call.count(this.#requester, request)) this.#isCounted = true;
    else this.#make(request)?.evaluated(request, known, isAllowed);
  }

  refused(request: AuthorizationRequest, known: RecordState, decision: Ruling['outcome']): void {
    if (!this.#isCounted) this.#make(request)?.refused(request, known, decision);
  }

  #make(request: AuthorizationRequest): ObservedDecision | undefined {
    if (this.#made !== undefined) return this.#made;
    this.#made = this.#call.about(this.#requester, request, false);
    this.#made?.ruled(request, this.#ruling);
    return this.#made;
  }
}
