import type { Ruling } from '../../access/port.ts';
import { type DecidedCall, type DecisionRecorder, recordedCall, secretFields } from '../../iam/port.ts';
import { requireWorkspace } from '../../identity/port.ts';
import { contextOf, type KnownRequest, type PolicyRequest, type PolicyRequestFacts } from './policy-context.ts';

export type CallRecorder = Pick<DecisionRecorder, 'note' | 'count'>;

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
  count(asking: PolicyRequestFacts, action: string, request: PolicyRequest): boolean {
    return this.#isLeftOut(asking) || this.#recorder.count(asking, action, request);
  }

  /** A builder who acts for a user says nothing of what the user needs. */
  #isLeftOut({ caller: { claims, place } }: PolicyRequestFacts): boolean {
    return claims.act !== undefined || (this.#isOfBlock && place?.access.hasReports !== true);
  }

  /** The decision about an action; undefined where it is not recorded, or the call has too many. */
  about(asking: PolicyRequestFacts, decision: AskedDecision): ObservedDecision | undefined {
    const isFull = this.#others !== undefined && this.#others.length >= perCallMax;
    if (isFull || decision.request.resource.length > resourceLengthMax || this.#isLeftOut(asking)) return undefined;
    const made = new ObservedDecision(asking, decision, this.#isOfBlock);
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

/**
 * The decision about one record that is not known yet. Once the record is allowed the call is mostly counted alone, so
 * nothing is kept of it before.
 */
export class LateDecision {
  readonly #calls: CallDecisions;
  readonly #asking: PolicyRequestFacts;
  readonly #action: string;
  readonly #ruling: Ruling;
  #isCounted = false;
  #made: ObservedDecision | undefined;

  constructor(calls: CallDecisions, asking: PolicyRequestFacts, action: string, ruling: Ruling) {
    this.#calls = calls;
    this.#asking = asking;
    this.#action = action;
    this.#ruling = ruling;
  }

  judged(request: PolicyRequest, judged: JudgedRecord, isAllowed: boolean): void {
    if (this.#isCounted) return;
    const isNew = this.#made === undefined;
    if (isAllowed && isNew && this.#calls.count(this.#asking, this.#action, request)) this.#isCounted = true;
    else this.#make(request)?.judged(request, judged, isAllowed);
  }

  refused(decision: Ruling['outcome'], known: KnownRequest): void {
    if (!this.#isCounted) this.#make(known.request)?.refused(decision, known);
  }

  #make(request: PolicyRequest): ObservedDecision | undefined {
    if (this.#made !== undefined) return this.#made;
    this.#made = this.#calls.about(this.#asking, { action: this.#action, request, isAside: false });
    this.#made?.ruled(request, this.#ruling);
    return this.#made;
  }
}

const perCallMax = 256;
const resourceLengthMax = 512;
/** A record is judged as it is, while a write is open, and as the write leaves it. */
const looksMax = 4;

export interface AskedDecision {
  readonly action: string;
  readonly request: PolicyRequest;
  /** It is asked for on the way: a refusal leaves something out of the answer, and the call is answered. */
  readonly isAside: boolean;
}

type JudgedRecord = Pick<KnownRequest, 'record' | 'states'>;

const none: readonly JudgedRecord[] = [];

export class ObservedDecision implements DecidedCall {
  readonly action: string;
  readonly isAside: boolean;
  readonly isOfBlock: boolean;
  commonLength = 0;
  rest: DecidedCall['rest'] = '';
  outcome: DecidedCall['outcome'] = 'allowed';
  readonly #asking: PolicyRequestFacts;
  #request: PolicyRequest;
  #outcome: Ruling['outcome'] | 'not recorded' = 'not recorded';
  #judged: readonly JudgedRecord[] = none;
  /** Whether what is asked on the way is allowed, as far as it is known. */
  #isUsed = false;

  constructor(asking: PolicyRequestFacts, { action, request, isAside }: AskedDecision, isOfBlock: boolean) {
    this.isOfBlock = isOfBlock;
    this.#asking = asking;
    this.action = action;
    this.isAside = isAside;
    this.#request = request;
  }

  get access(): DecidedCall['access'] {
    return requireWorkspace(this.#asking.caller).access;
  }

  get place(): DecidedCall['place'] {
    return requireWorkspace(this.#asking.caller).workspace;
  }

  get userId(): string {
    return this.#asking.caller.claims.sub;
  }

  get email(): string {
    return this.#asking.caller.claims.email;
  }

  get time(): number {
    return this.#asking.time;
  }

  get resource(): string {
    return this.#request.resource;
  }

  /** By what is known so far. */
  ruled(request: PolicyRequest, { outcome }: Ruling): void {
    if (this.#isOfAnother(request)) return;
    this.#request = request;
    this.#outcome = outcome;
    this.#isUsed = this.isAside && (outcome === 'allowed' || (outcome === 'undecided' && this.#isOfMany()));
  }

  /** A record by which an undecided one is decided. */
  judged(request: PolicyRequest, { record, states }: JudgedRecord, isAllowed: boolean): void {
    if (this.isAside && !this.#isAsideUsed(request, isAllowed)) return;
    // What was open is known now: the record is judged once more.
    if (states?.after !== undefined && states.after !== 'open' && states.before === record)
      this.#judged = this.#judged.filter((one) => one.states?.after !== 'open');
    if (this.#judged.length < looksMax) this.#judged = [...this.#judged, { record, states }];
  }

  /** A refusal that policies decide by what an explanation says. One for a field alone is not recorded. */
  refused(decision: Ruling['outcome'], known: KnownRequest): void {
    if (this.isAside) {
      this.#isAsideUsed(known.request, false);
      return;
    }
    this.#outcome = decision === 'allowed' ? 'not recorded' : decision === 'undecided' ? 'implicit_deny' : decision;
    if (known.record !== undefined) this.#judged = [known];
  }

  /** On the way, the same is asked about many records, and a record that is allowed stands for all. */
  #isOfAnother(request: PolicyRequest): boolean {
    return this.isAside && this.#isUsed && request !== this.#request;
  }

  #isAsideUsed(request: PolicyRequest, isAllowed: boolean): boolean {
    if (this.#isOfAnother(request)) return false;
    if (request !== this.#request) this.#judged = none;
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

  /** What differs from call to call stands at the end. */
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
    return this.#judged.length > 0 || this.#isOfMany() ? 'allowed' : undefined;
  }

  sample(): ReturnType<DecidedCall['sample']> {
    const asking = this.#asking;
    const { method, resource, params, about } = this.#request;
    const judged: readonly (JudgedRecord & Pick<KnownRequest, 'pending'>)[] =
      this.#judged.length > 0 ? this.#judged : [{ pending: ['record'] }];
    const isSecret = about === undefined ? () => false : secretFields(about.entity);
    const looks = judged.map((known) =>
      this.access.keep(this.action, () => contextOf(asking, { request: this.#request, ...known }), isSecret),
    );
    const { ip, origin, time } = asking;
    return recordedCall({ method, resource, params, ip, origin: origin?.slice(0, originLengthMax), time }, looks);
  }
}

const originLengthMax = 256;
