import type { Ruling } from '../access/port.ts';
import { type DecisionRecorder, recordedCall, secretFields } from '../iam/port.ts';
import { requireWorkspace } from '../people/port.ts';
import { type AuthorizationRequest, contextOf, type RecordState, type Requester } from './authorization-request.ts';

export type CallRecorder = Pick<DecisionRecorder, 'note' | 'count'>;
type DecidedCall = Parameters<CallRecorder['note']>[0];

/** The decisions of one call of an app: they are noted when it is answered, by what became of them. */
export class CallDecisions {
  readonly #recorder: CallRecorder;
  #first: ObservedDecision | undefined;
  #others: ObservedDecision[] | undefined;
  readonly #isOfBlock: boolean;
  #ofBlock: CallDecisions | undefined;

  constructor(recorder: CallRecorder, isOfBlock = false) {
    this.#recorder = recorder;
    this.#isOfBlock = isOfBlock;
  }

  /** Those of blocks that run by policies of their own, which are noted for statements that are only reported. */
  ofBlock(): CallDecisions {
    this.#ofBlock ??= new CallDecisions(this.#recorder, true);
    return this.#ofBlock;
  }

  /** Counts what is allowed whatever follows. @returns false where it has to be observed. */
  count(requester: Requester, request: AuthorizationRequest): boolean {
    return this.#isLeftOut(requester) || this.#recorder.count(requester, request.action, request);
  }

  /** A builder who acts for a user says nothing of what the user needs. */
  #isLeftOut({ caller: { claims, place } }: Requester): boolean {
    return claims.act !== undefined || (this.#isOfBlock && place?.access.hasReports !== true);
  }

  /** The decision about an action; undefined where it is not recorded, or the call has too many. */
  about(requester: Requester, request: AuthorizationRequest, isAside: boolean): ObservedDecision | undefined {
    const isFull = this.#others !== undefined && this.#others.length >= perCallMax;
    if (isFull || request.resource.length > resourceLengthMax || this.#isLeftOut(requester)) return undefined;
    const made = new ObservedDecision(requester, request, { isAside, isOfBlock: this.#isOfBlock });
    if (this.#first === undefined) this.#first = made;
    else {
      this.#others ??= [];
      this.#others.push(made);
    }
    return made;
  }

  /** Once the call is answered, however. */
  note(): void {
    if (this.#first?.end() === true) this.#recorder.note(this.#first);
    for (const observed of this.#others ?? []) if (observed.end()) this.#recorder.note(observed);
    this.#ofBlock?.note();
  }
}

const perCallMax = 256;
const resourceLengthMax = 512;
/** A record is evaluated as it is, while a write is open, and as the write leaves it. */
const evaluatedMax = 4;

/** With a request where it was not the last one. */
type EvaluatedRecord = RecordState & { readonly request?: AuthorizationRequest };

const none: readonly EvaluatedRecord[] = [];

export class ObservedDecision implements DecidedCall {
  readonly action: string;
  /** It is asked for on the way: a refusal leaves something out of the answer, and the call is answered. */
  readonly isAside: boolean;
  readonly isOfBlock: boolean;
  commonLength = 0;
  rest: DecidedCall['rest'] = '';
  outcome: DecidedCall['outcome'] = 'allowed';
  readonly #requester: Requester;
  #request: AuthorizationRequest;
  #outcome: Ruling['outcome'] | 'not recorded' = 'not recorded';
  #evaluated: readonly EvaluatedRecord[] = none;
  /** Whether what is asked on the way is allowed, as far as it is known. */
  #isUsed = false;

  constructor(
    requester: Requester,
    request: AuthorizationRequest,
    { isAside, isOfBlock }: Pick<ObservedDecision, 'isAside' | 'isOfBlock'>,
  ) {
    this.isOfBlock = isOfBlock;
    this.isAside = isAside;
    this.action = request.action;
    this.#requester = requester;
    this.#request = request;
  }

  get access(): DecidedCall['access'] {
    return requireWorkspace(this.#requester.caller).access;
  }

  get place(): DecidedCall['place'] {
    return requireWorkspace(this.#requester.caller).workspace;
  }

  get userId(): string {
    return this.#requester.caller.claims.sub;
  }

  get email(): string {
    return this.#requester.caller.claims.email;
  }

  get time(): number {
    return this.#requester.time;
  }

  get resource(): string {
    return this.#request.resource;
  }

  /** By what is known so far. */
  ruled(request: AuthorizationRequest, { outcome }: Ruling): void {
    if (this.#isOfAnother(request)) return;
    this.#request = request;
    this.#outcome = outcome;
    this.#isUsed = this.isAside && (outcome === 'allowed' || (outcome === 'undecided' && this.#isOfMany()));
  }

  /** A record by which an undecided one is decided. */
  evaluated(request: AuthorizationRequest, { record, states }: RecordState, isAllowed: boolean): void {
    if (this.isAside && !this.#isAsideUsed(request, isAllowed)) return;
    // The outcome that was open is known now: the record is evaluated once more.
    if (states?.after !== undefined && states.after !== 'open' && states.before === record)
      this.#evaluated = this.#evaluated.filter((one) => one.states?.after !== 'open');
    if (this.#evaluated.length < evaluatedMax) this.#evaluated = [...this.#evaluated, { record, states }];
  }

  /** A refusal that policies decide by what an explanation says. One for a field alone is not recorded. */
  refused(request: AuthorizationRequest, known: RecordState, decision: Ruling['outcome']): void {
    if (this.isAside) {
      this.#isAsideUsed(request, false);
      return;
    }
    this.#outcome = decision === 'allowed' ? 'not recorded' : decision === 'undecided' ? 'implicit_deny' : decision;
    if (known.record !== undefined) this.#evaluated = [{ ...known, request }];
  }

  /** On the way, the same is asked about many records, and one record that is allowed is enough. */
  #isOfAnother(request: AuthorizationRequest): boolean {
    return this.isAside && this.#isUsed && request !== this.#request;
  }

  #isAsideUsed(request: AuthorizationRequest, isAllowed: boolean): boolean {
    if (this.#isOfAnother(request)) return false;
    if (request !== this.#request) this.#evaluated = none;
    this.#request = request;
    this.#outcome = isAllowed ? 'undecided' : 'not recorded';
    this.#isUsed = isAllowed;
    return isAllowed;
  }

  #isOfMany(): boolean {
    return /^(?:list|count|browse)/.test(this.action);
  }

  /** Whether anything was decided that is recorded, before the call ended. */
  end(): boolean {
    const outcome = this.#finalOutcome();
    if (outcome === undefined) return false;
    this.outcome = outcome;
    this.#cut();
    return true;
  }

  /** Cuts off the end, which differs from call to call. */
  #cut(): void {
    const { resource, params } = this.#request;
    const { id, path } = params;
    this.commonLength = resource.length;
    if (id !== undefined && id !== '' && resource.endsWith(id)) {
      this.commonLength -= id.length;
      this.rest = '{id}';
    } else if (path !== undefined && path !== '' && resource.endsWith(path)) {
      this.commonLength -= path.length;
      this.rest = '{path}';
    }
  }

  #finalOutcome(): DecidedCall['outcome'] | undefined {
    if (this.#outcome === 'not recorded') return undefined;
    if (this.isAside && this.#outcome !== 'allowed' && this.#outcome !== 'undecided') return undefined;
    if (this.#outcome !== 'undecided') return this.#outcome;
    // Lists are answered with the records that are allowed.
    return this.#evaluated.length > 0 || this.#isOfMany() ? 'allowed' : undefined;
  }

  sample(): ReturnType<DecidedCall['sample']> {
    const { method, resource, params, about } = this.#request;
    const evaluated: readonly EvaluatedRecord[] =
      this.#evaluated.length > 0 ? this.#evaluated : [{ pending: ['record'] }];
    const isSecret = about === undefined ? () => false : secretFields(about.entity);
    const looks = evaluated.map(({ request = this.#request, ...known }) =>
      this.access.keep(this.action, () => contextOf(this.#requester, request, known), isSecret),
    );
    const { ip, origin, time } = this.#requester;
    return recordedCall({ method, resource, params, ip, origin: origin?.slice(0, originLengthMax), time }, looks);
  }
}

const originLengthMax = 256;
