import type { Ruling } from '../../access/port.ts';
import { type DecidedCall, type DecisionRecorder, recordedCall } from '../../iam/port.ts';
import { requireWorkspace } from '../../identity/port.ts';
import { type CompiledEntity, isSealed } from '../../schema/port.ts';
import { contextOf, type KnownRequest, type PolicyRequest, type PolicyRequestFacts } from './policy-context.ts';

/** The decisions of one call of an app: they are noted when it is answered, by what became of them. */
export class CallDecisions {
  readonly #recorder: Pick<DecisionRecorder, 'note'>;
  readonly #observed: ObservedDecision[] = [];

  constructor(recorder: Pick<DecisionRecorder, 'note'>) {
    this.#recorder = recorder;
  }

  /** The decision about an action; undefined where the call has too many. */
  about(asking: PolicyRequestFacts, decision: AskedDecision): ObservedDecision | undefined {
    if (this.#observed.length >= perCallMax || decision.request.resource.length > resourceLengthMax) return undefined;
    const made = new ObservedDecision(asking, decision);
    this.#observed.push(made);
    return made;
  }

  /** Once the call is answered, however. */
  note(): void {
    for (const observed of this.#observed) {
      const call = observed.decided();
      if (call !== undefined) this.#recorder.note(call);
    }
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

export class ObservedDecision {
  readonly action: string;
  readonly isAside: boolean;
  readonly #asking: PolicyRequestFacts;
  #request: PolicyRequest;
  #outcome: Ruling['outcome'] | 'not recorded' = 'not recorded';
  #judged: JudgedRecord[] = [];

  constructor(asking: PolicyRequestFacts, { action, request, isAside }: AskedDecision) {
    this.#asking = asking;
    this.action = action;
    this.isAside = isAside;
    this.#request = request;
  }

  /** By what is known so far. */
  ruled(request: PolicyRequest, { outcome }: Ruling): void {
    this.#request = request;
    this.#outcome = outcome;
  }

  /** A record by which an undecided one is decided. */
  judged(record: JudgedRecord['record'], states: JudgedRecord['states'], isAllowed: boolean): void {
    if (!isAllowed && this.isAside) this.#outcome = 'not recorded';
    // What was open is known now: the record is judged once more.
    if (states?.after !== undefined && states.after !== 'open' && states.before === record)
      this.#judged = this.#judged.filter((one) => one.states?.after !== 'open');
    if (this.#judged.length < looksMax) this.#judged.push({ record, states });
  }

  /** A refusal that policies decide by what an explanation says. One for a field alone is not recorded. */
  refused(decision: Ruling['outcome'], known: JudgedRecord): void {
    this.#outcome =
      this.isAside || decision === 'allowed' ? 'not recorded' : decision === 'undecided' ? 'implicit_deny' : decision;
    if (known.record !== undefined) this.#judged = [known];
  }

  /** Undefined for a call that ended before anything was decided. */
  decided(): DecidedCall | undefined {
    const { caller, time } = this.#asking;
    const { workspace, access } = requireWorkspace(caller);
    const { claims } = caller;
    const outcome = this.#finalOutcome();
    if (outcome === undefined || claims.act !== undefined) return undefined;
    const { orgCode, env, tenantId, tenantCode } = workspace;
    return {
      access,
      place: { orgCode, env, tenantId, tenantCode },
      user: { id: claims.sub, email: claims.email },
      action: this.action.toLowerCase(),
      shape: shapeOf(this.#request),
      outcome,
      time,
      sample: () => this.#sample(),
    };
  }

  #finalOutcome(): DecidedCall['outcome'] | undefined {
    if (this.#outcome === 'not recorded') return undefined;
    if (this.isAside && this.#outcome !== 'allowed' && this.#outcome !== 'undecided') return undefined;
    if (this.#outcome !== 'undecided') return this.#outcome;
    // Lists are answered with the records that are allowed.
    return this.#judged.length > 0 || /^(?:list|count|browse)/.test(this.action) ? 'allowed' : undefined;
  }

  #sample(): ReturnType<DecidedCall['sample']> {
    const asking = this.#asking;
    const { access } = requireWorkspace(asking.caller);
    const { method, resource, params, about } = this.#request;
    const judged: readonly (JudgedRecord & Pick<KnownRequest, 'pending'>)[] =
      this.#judged.length > 0 ? this.#judged : [{ pending: ['record'] }];
    const isSecret = secretFields(about?.entity);
    const looks = judged.map((known) =>
      access.keep(this.action, () => contextOf(asking, { request: this.#request, ...known }), isSecret),
    );
    const { ip, origin, time } = asking;
    return recordedCall({ method, resource, params, ip, origin: origin?.slice(0, originLengthMax), time }, looks);
  }
}

const originLengthMax = 256;

/** The resource with a name for what differs from call to call. */
function shapeOf({ resource, params }: PolicyRequest): string {
  for (const [name, value] of Object.entries(params)) {
    if (name !== 'id' && name !== 'path') continue;
    if (value !== '' && resource.endsWith(value)) return `${resource.slice(0, -value.length)}{${name}}`;
  }
  return resource;
}

/** Fields whose values lie encrypted, or that no reply shows: by every name, without regard to case. */
function secretFields(entity: CompiledEntity | undefined): (field: string) => boolean {
  if (entity === undefined) return () => false;
  return (asked) => {
    const folded = asked.toLowerCase();
    if (entity.hidden.some((name) => name.toLowerCase() === folded)) return true;
    for (const { name, definition } of entity.fields.values()) {
      if (!isSealed(definition)) continue;
      const names = [name, ...[...entity.aliases].filter(([, of]) => of === name).map(([alias]) => alias)];
      if (names.some((one) => one.toLowerCase() === folded)) return true;
    }
    return false;
  };
}
