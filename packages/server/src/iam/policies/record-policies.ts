import type { Judgement, Ruling } from '../../access/port.ts';
import type { RecordData, RecordGrant, RecordPolicy, RecordStates } from '../../records/port.ts';

/** How the refusal of a record is answered, and of a write what of the record its caller may read. */
export type Refusals = Pick<RecordPolicy, 'missing' | 'denied' | 'readable'>;

/** Whether it allows everything with every record. */
export function isWhole({ outcome, fields }: Ruling): boolean {
  return outcome === 'allowed' && fields === undefined;
}

/** What a ruling leaves of the record that a request is about. */
export function recordPolicyOf(ruling: Ruling, refusals: Refusals, judged?: Judged): RecordPolicy {
  return new RulingPolicy(ruling, refusals, judged);
}

/** Is told each record that is judged. */
export type Judged = (record: RecordData, states: RecordStates | undefined, isAllowed: boolean) => void;

/** What a ruling leaves of records that are asked for one by one, each by its id. */
export function recordPolicyOfMany(ruling: Ruling, refusals: Refusals): RecordPolicy {
  return new EachRulingPolicy(ruling, refusals);
}

/**
 * What takes long with many statements, and most calls never ask for, is found when it is asked for. The accessors stand
 * in the class: of a literal with accessors, V8 makes a shape for each object, which outlives the call.
 */
class RulingPolicy implements RecordPolicy {
  readonly isNone: boolean;
  readonly isEvery: boolean;
  readonly missing: RecordPolicy['missing'];
  readonly denied: RecordPolicy['denied'];
  readonly readable: Refusals['readable'];
  protected readonly ruling: Ruling;
  private readonly judged: Judged | undefined;
  private madeSureFields: Made<RecordPolicy['sureFields']> | undefined;
  private madePossibleFields: Made<RecordPolicy['possibleFields']> | undefined;
  private madeEqualities: Made<RecordPolicy['equalities']> | undefined;

  constructor(ruling: Ruling, { missing, denied, readable }: Refusals, judged?: Judged) {
    this.ruling = ruling;
    this.judged = judged;
    this.isNone = ruling.outcome !== 'allowed' && ruling.outcome !== 'undecided';
    this.isEvery = ruling.outcome === 'allowed';
    this.missing = missing;
    this.denied = denied;
    this.readable = readable;
  }

  judge(record: RecordData, states?: RecordStates): RecordGrant | undefined {
    const grant = grantOf(this.ruling.judge(record, undefined, states));
    this.judged?.(record, states, grant !== undefined);
    return grant;
  }

  reads(): readonly string[] | undefined {
    return this.ruling.recordFields;
  }

  steps(): number {
    return this.ruling.steps;
  }

  get sureFields(): RecordPolicy['sureFields'] {
    this.madeSureFields ??= { value: this.ruling.sureFields };
    return this.madeSureFields.value;
  }

  get possibleFields(): RecordPolicy['possibleFields'] {
    this.madePossibleFields ??= { value: this.ruling.possibleFields };
    return this.madePossibleFields.value;
  }

  get equalities(): RecordPolicy['equalities'] {
    this.madeEqualities ??= { value: this.ruling.equalities };
    return this.madeEqualities.value;
  }
}

class EachRulingPolicy extends RulingPolicy {
  override readonly isNone = false;

  override judge(record: RecordData): RecordGrant | undefined {
    return grantOf(this.ruling.judge(record, record.id));
  }

  /** Its id decides too. */
  override reads(): undefined {
    return undefined;
  }
}

interface Made<Value> {
  readonly value: Value;
}

function grantOf(judgement: Judgement): RecordGrant | undefined {
  return judgement.outcome === 'allowed' ? judgement : undefined;
}
