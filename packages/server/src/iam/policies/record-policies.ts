import type { Judgement, Ruling } from '../../access/port.ts';
import type { RecordData, RecordPolicy, RecordStates } from '../../records/port.ts';

/** How the refusal of a record is answered, and of a write what of the record its caller may read. */
export type Refusals = Pick<RecordPolicy, 'missing' | 'denied' | 'readable'>;

/** Whether it allows everything with every record. */
export function isWhole({ outcome, fields }: Ruling): boolean {
  return outcome === 'allowed' && fields === undefined;
}

/** What a ruling leaves of the record that a request is about. */
export function recordPolicyOf(ruling: Ruling, refusals: Refusals): RecordPolicy {
  const reads = () => ruling.recordFields;
  return recordPolicyBy(ruling, (record, states) => ruling.judge(record, undefined, states), { ...refusals, reads });
}

/** What a ruling leaves of records that are asked for one by one, each by its id. */
export function recordPolicyOfMany(ruling: Ruling, refusals: Refusals): RecordPolicy {
  return recordPolicyBy(ruling, (record) => ruling.judge(record, record.id), { ...refusals, isNone: false });
}

function recordPolicyBy(
  ruling: Ruling,
  judge: (record: RecordData, states?: RecordStates) => Judgement,
  refusals: Refusals & Partial<Pick<RecordPolicy, 'isNone' | 'reads'>>,
): RecordPolicy {
  const { outcome } = ruling;
  // With many statements these take long, and most calls ask for none of them.
  const sureFields = onDemand(() => ruling.sureFields);
  const possibleFields = onDemand(() => ruling.possibleFields);
  const equalities = onDemand(() => ruling.equalities);
  return {
    isNone: outcome !== 'allowed' && outcome !== 'undecided',
    isEvery: outcome === 'allowed',
    judge: (record, states) => {
      const { outcome, ...grant } = judge(record, states);
      return outcome === 'allowed' ? grant : undefined;
    },
    steps: () => ruling.steps,
    get sureFields() {
      return sureFields();
    },
    get possibleFields() {
      return possibleFields();
    },
    get equalities() {
      return equalities();
    },
    ...refusals,
  };
}

function onDemand<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
