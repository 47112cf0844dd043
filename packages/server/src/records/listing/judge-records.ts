/** Which records of a plan's range are of the answer, and what the caller may read of them. */
import type { CompiledEntity } from '../../schema/port.ts';
import type { Followed } from '../../store/port.ts';
import { termsOf } from '../indexes/derive.ts';
import { dataOf, type RecordData } from '../record.ts';
import type { ReadableText, RecordGrant } from '../record-policy.ts';
import { matchesSearch, type SearchTest } from '../search/words.ts';
import { grantOn } from '../writing/checks/record-checks.ts';
import { meetsAll } from './filter.ts';
import type { ListPlan } from './planning/list-plan.ts';

/** Whether everything in the range is of the answer. */
export function isExact(plan: ListPlan): boolean {
  return plan.rows === undefined && isExactButForRows(plan);
}

/** Whether everything in the range is of the answer that is the caller's. */
export function isExactButForRows({ residual, search, expression }: ListPlan): boolean {
  return residual.length === 0 && search === undefined && expression === undefined;
}

/** What judging records by a plan has taken so far, in steps of about 2 ns. */
export function stepsOf({ rows, textGrants, expression }: JudgedBy): number {
  return (rows?.steps() ?? 0) + (textGrants?.stepsSaved() ?? 0) + (expression?.steps() ?? 0);
}

type JudgedBy = Pick<ListPlan, 'rows' | 'textGrants' | 'expression'>;

/** A record of the range, and how it was judged where a walk had to know that. */
export interface WalkedRecord extends Followed {
  readonly judged?: Judged | 'not_asked';
}

/** A record of which the expression of a plan is asked, if there is one. */
export interface Judged {
  readonly data: RecordData;
  readonly grant: RecordGrant;
}

/**
 * Judges all but the expression. Whether the record is the caller's comes first: what others take must not depend on
 * what is asked, since where a page ends tells of it.
 */
export function judgeRecord(plan: ListPlan, entity: CompiledEntity, entry: Followed): Judged | 'not_asked' {
  const known = plan.textGrants?.of(entry.value);
  if (known === 'none') return 'not_asked';
  const data = dataOf(entity, entry);
  const grant = known ?? grantIn(plan, entity, data);
  return grant === undefined || !meetsFilters(plan, data) ? 'not_asked' : { data, grant };
}

/** What the caller may read of a record in the range; undefined where it is not of the answer. */
export function readable(plan: ListPlan, entity: CompiledEntity, entry: WalkedRecord): ReadableText | undefined {
  if (isExact(plan)) return entry;
  const known = entry.judged === undefined ? grantByText(plan, entry) : undefined;
  if (known === 'none') return undefined;
  if (known !== undefined) return readableBy(known, entry);
  const judged = entry.judged ?? judgeRecord(plan, entity, entry);
  if (judged === 'not_asked' || plan.expression?.holds(judged.data) === false) return undefined;
  return readableBy(judged.grant, entry);
}

/** Undefined where the whole record has to be judged; then nothing of it was. */
function grantByText(plan: ListPlan, { value }: Followed): RecordGrant | 'none' | undefined {
  const { search, expression, rows, textFilters, textGrants } = plan;
  if (search !== undefined || expression !== undefined) return undefined;
  const meets = textFilters?.(value);
  if (meets === undefined) return undefined;
  const grant = rows === undefined ? wholeGrant : textGrants?.of(value);
  return grant === undefined || meets ? grant : 'none';
}

function readableBy({ fields }: RecordGrant, entry: Followed): ReadableText {
  return fields === undefined ? entry : { value: entry.value, version: entry.version, fields };
}

const wholeGrant: RecordGrant = { fields: undefined };

function grantIn({ rows, rowFilters }: ListPlan, entity: CompiledEntity, data: RecordData): RecordGrant | undefined {
  if (rows === undefined) return wholeGrant;
  return meetsAll(rowFilters, data) ? grantOn(rows, entity, data) : undefined;
}

function meetsFilters({ residual, search }: ListPlan, data: RecordData): boolean {
  return meetsAll(residual, data) && (search === undefined || meetsSearch(search, data));
}

function meetsSearch({ query, fields }: SearchTest, data: RecordData): boolean {
  return matchesSearch(query, termsOf(fields, data));
}
