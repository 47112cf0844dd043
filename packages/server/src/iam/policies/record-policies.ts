import type { Judgement, Ruling } from '../../access/port.ts';
import type { RecordData, RecordPolicy, RecordStates } from '../../records/port.ts';

/** How the refusal of a record is answered. */
export type Refusals = Pick<RecordPolicy, 'missing' | 'denied'>;

/** Whether it allows everything with every record. */
export function isWhole({ outcome, fields }: Ruling): boolean {
  return outcome === 'allowed' && fields === undefined;
}

/** What a ruling leaves of the record that a request is about. */
export function recordPolicyOf(ruling: Ruling, refusals: Refusals): RecordPolicy {
  return recordPolicyBy(ruling, (record, states) => ruling.judge(record, undefined, states), refusals);
}

/** What a ruling leaves of records that are asked for one by one, each by its id. */
export function recordPolicyOfMany(ruling: Ruling, refusals: Refusals): RecordPolicy {
  return { ...recordPolicyBy(ruling, (record) => ruling.judge(record, record.id), refusals), isNone: false };
}

function recordPolicyBy(
  ruling: Ruling,
  judge: (record: RecordData, states?: RecordStates) => Judgement,
  refusals: Refusals,
): RecordPolicy {
  const { outcome, sureFields, possibleFields, equalities } = ruling;
  return {
    isNone: outcome !== 'allowed' && outcome !== 'undecided',
    isEvery: outcome === 'allowed',
    judge: (record, states) => {
      const { outcome, ...grant } = judge(record, states);
      return outcome === 'allowed' ? grant : undefined;
    },
    steps: () => ruling.steps,
    sureFields,
    possibleFields,
    equalities,
    ...refusals,
  };
}
