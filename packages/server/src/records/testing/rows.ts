/** Rows for tests, of callers whom no policies decide about. */
import { Problem } from '../../lib/problem.ts';
import type { RecordData } from '../record.ts';
import type { FieldNames, RecordPolicy } from '../record-policy.ts';

export function rowsWhere(
  isOwn: (record: RecordData) => boolean,
  options: { readonly fields?: FieldNames } & Partial<
    Pick<RecordPolicy, 'isNone' | 'equalities' | 'steps' | 'readable'>
  > = {},
): RecordPolicy {
  const { fields, ...others } = options;
  return {
    isNone: false,
    judge: (record) => (isOwn(record) ? { fields } : undefined),
    steps: () => 0,
    sureFields: fields,
    possibleFields: fields,
    equalities: [],
    missing: () => new Problem('not_found', 'there is nothing here'),
    denied: (_record, errors) => new Problem('access_denied', 'denied', errors === undefined ? {} : { errors }),
    ...others,
  };
}

export const noRows = rowsWhere(() => false, { isNone: true });
