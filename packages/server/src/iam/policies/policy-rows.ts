import type { Judgement, Ruling } from '../../access/port.ts';
import type { RecordData, RowAccess } from '../../records/port.ts';

/** How whoever is refused a record is told. */
export type Refusals = Pick<RowAccess, 'missing' | 'denied'>;

/** Whether it allows everything with every record. */
export function isWhole({ outcome, fields }: Ruling): boolean {
  return outcome === 'allowed' && fields === undefined;
}

/** What a ruling leaves of the record that a request is about. */
export function rowsOf(ruling: Ruling, refusals: Refusals): RowAccess {
  return rowsBy(ruling, (record) => ruling.judge(record), refusals);
}

/** What a ruling leaves of records that are asked for one by one, each by its id. */
export function rowsOfMany(ruling: Ruling, refusals: Refusals): RowAccess {
  return { ...rowsBy(ruling, (record) => ruling.judge(record, record.id), refusals), isNone: false };
}

function rowsBy(ruling: Ruling, judge: (record: RecordData) => Judgement, refusals: Refusals): RowAccess {
  const { outcome, sureFields, possibleFields, equalities } = ruling;
  return {
    isNone: outcome !== 'allowed' && outcome !== 'undecided',
    judge: (record) => {
      const { outcome, fields } = judge(record);
      return outcome === 'allowed' ? { fields } : undefined;
    },
    steps: () => ruling.steps,
    sureFields,
    possibleFields,
    equalities,
    ...refusals,
  };
}
