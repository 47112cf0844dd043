import { compareBytes } from '../../../lib/byte-order.ts';
import type { CompiledEntity } from '../../../schema/port.ts';
import type { FollowedEntry, Item, RangeRead, Scope, Selected } from '../../../store/port.ts';
import { termsOf } from '../../indexes/derive.ts';
import { dataOf, type RecordData } from '../../record.ts';
import type { ReadableText, RecordGrant } from '../../record-policy.ts';
import { matchesSearch, type SearchTest } from '../../search/words.ts';
import { grantOn } from '../../writing/record-checks.ts';
import { meetsAll } from '../filter.ts';
import type { IndexName, IndexRange } from '../planning/index-range.ts';
import type { ListPlan, WordEntries } from '../planning/list-plan.ts';

/**
 * The budget of one page before it ends short, with a cursor to go on from:
 * - `items`: records of the range, whether they are judged here or by the engine, and others that are sought for them;
 * - `bytes`: of the records that the page holds and of those that are loaded for its lookups, 3 for each UTF-16 unit;
 * - `milliseconds`: a guard of last resort. The last read may take as long once more, so that a page is over before an
 *   index is taken apart that was dropped meanwhile (`droppedForMilliseconds`);
 * - `steps`: of judging records in this process.
 */
export const scanBudget = { items: 1_000_000, bytes: 4 * 1024 * 1024, milliseconds: 2_000, steps: 40_000_000 } as const;

/** The same of a count, which holds no records. */
export const countBudget = { ...scanBudget, bytes: 64 * 1024 * 1024 } as const;

/** The records that a transaction looks at are checked in its commit. */
export const transactionItems = 2_000;

/** One read looks at so many records at most: others have their turns between reads. */
const itemsPerRead = 50_000;

/** And so many leave it at most, to be judged. */
export const recordsAtOnce = 1_000;

/** The rest of it for one page, or for pages that share it. */
export interface ScanLeft {
  items: number;
  bytes: number;
  steps: number;
  readonly hasTime: () => boolean;
}

export function isSpent({ items, bytes, hasTime }: ScanLeft): boolean {
  return items <= 0 || bytes <= 0 || !hasTime();
}

/** Which part of the budget ended a page or a count; `time` is also the work of judging records. */
export type SpentBy = 'records' | 'time';

export function spentBy({ items, bytes }: ScanLeft): SpentBy {
  return items <= 0 || bytes <= 0 ? 'records' : 'time';
}

/** As the budget counts them. A UTF-16 unit takes at most 3 bytes of UTF-8: never less than what the store counted. */
export function recordBytes({ value }: Pick<FollowedEntry, 'value'>): number {
  return 3 * value.length;
}

/**
 * The time begins to run when it is asked for first: some step is always made.
 * @param elapsed milliseconds that only grow.
 */
export function newScan(
  elapsed: () => number = () => performance.now(),
  { items, bytes, steps, milliseconds }: Readonly<Record<keyof typeof scanBudget, number>> = scanBudget,
): ScanLeft {
  let startedAt: number | undefined;
  const hasTime = (): boolean => {
    const now = elapsed();
    startedAt ??= now;
    return now - startedAt < milliseconds;
  };
  return { items, bytes, steps, hasTime };
}

// Ways to go through the records of a plan's range.

/** Goes through records in steps, keeping to the scan budget. */
export interface RecordWalk {
  next(limit: number): Promise<readonly WalkedRecord[]>;
  passed(sk: string): void;
  position(): string;
  isAtEnd(): boolean;
  isSpent(): boolean;
  readonly index: IndexName | undefined;
  readonly through?: () => IndexRange;
  /** Those of the range that were read. */
  entries(): number;
  /** Records that were tested by what the range does not say, also by the engine; left out: those that are judged. */
  readonly tested?: () => number;
}

export function rangeWalk(scope: Scope, plan: ListPlan, start: string | undefined, left: ScanLeft): RecordWalk {
  let position = start;
  let step = unread;
  let read = 0;
  let isFirst = true;
  return {
    index: plan.index,
    entries: () => read,
    tested: () => read,
    next: async (limit) => {
      left.hasTime();
      const rest = { ...continued(plan, position), limit };
      // A plain read fills a page soonest where most of the range is of the answer, and costs little where it is not.
      const isSelecting = !isExact(plan) && !(isFirst && (limit <= plainFirst || isLikelyWhole(plan)));
      isFirst = false;
      step = isSelecting ? await selectStep(scope, plan, rest, left) : await rangeStep(scope, plan, rest, left);
      read += step.rows;
      left.items -= step.rows;
      if (step.entries.length === 0) position = step.next ?? position;
      return step.entries;
    },
    passed: (sk) => {
      // Behind the last of them others were looked at.
      position = sk === step.entries.at(-1)?.sk ? (step.next ?? sk) : sk;
    },
    position: () => position ?? '',
    isAtEnd: () => step.next === undefined && step !== unread,
    isSpent: () => isSpent(left),
  };
}

const plainFirst = 200;

interface RangeStep extends Pick<Selected, 'rows' | 'next'> {
  readonly entries: readonly FollowedEntry[];
}

const unread: RangeStep = { entries: [], rows: 0, next: undefined };

async function rangeStep(scope: Scope, plan: ListPlan, rest: RangeRead, left: ScanLeft): Promise<RangeStep> {
  const range = { ...rest, limit: Math.min(rest.limit, left.items), bytesMax: Math.min(left.bytes, scanBudget.bytes) };
  const entries = plan.isIndex ? await scope.follow(plan.pk, range) : await scope.range(plan.pk, range);
  let bytes = 0;
  for (const entry of entries) bytes += recordBytes(entry);
  const isAtEnd = entries.length === 0 || (entries.length < range.limit && bytes < range.bytesMax);
  return { entries, rows: entries.length, next: isAtEnd ? undefined : entries.at(-1)?.sk };
}

async function selectStep(scope: Scope, plan: ListPlan, rest: RangeRead, left: ScanLeft): Promise<RangeStep> {
  const { where } = plan.question;
  return scope.select(plan.pk, {
    ...{ ...rest, where, bytesMax: scanBudget.bytes },
    rowsMax: Math.min(left.items, itemsPerRead),
  });
}

/** The same where the entries that may be of the answer lie in parts of the range: what is between them is not read. */
export function partsWalk(
  scope: Scope,
  plan: ListPlan & { readonly parts: readonly string[] },
  start: string | undefined,
  left: ScanLeft,
): RecordWalk {
  const isReverse = plan.range.reverse === true;
  const isBehind = (part: string): boolean =>
    start !== undefined && start !== '' && !start.startsWith(part) && compareBytes(part, start) < 0 !== isReverse;
  const parts = (isReverse ? plan.parts.toReversed() : plan.parts).filter((part) => !isBehind(part));
  const walkOf = (prefix: string): RecordWalk => {
    const started = start?.startsWith(prefix) === true ? start : undefined;
    return rangeWalk(scope, { ...plan, range: { ...plan.range, prefix } }, started, left);
  };
  let position = start;
  let walk: RecordWalk | undefined;
  let read = 0;
  return {
    index: plan.index,
    entries: () => read,
    tested: () => read,
    next: async (limit) => {
      for (let part = parts[0]; part !== undefined && !isSpent(left); part = parts[0]) {
        // A walk at its end has given all its records, which are passed before others are asked for.
        if (walk === undefined || walk.isAtEnd()) walk = walkOf(part);
        const before = walk.entries();
        const entries = await walk.next(limit);
        read += walk.entries() - before;
        if (walk.isAtEnd()) parts.shift();
        if (entries.length > 0) return entries;
        if (!walk.isAtEnd()) position = walk.position();
        left.items -= 1;
      }
      return [];
    },
    passed: (sk) => {
      walk?.passed(sk);
      position = walk?.position() ?? sk;
    },
    position: () => position ?? '',
    isAtEnd: () => parts.length === 0,
    isSpent: () => isSpent(left),
  };
}

/** The rest of a plan's range behind a position, in the direction it is read. */
export function continued(plan: ListPlan, position: string | undefined): Omit<RangeRead, 'limit'> {
  // A walk that made no step has come no further than to its beginning.
  if (position === undefined || position === '') return plan.range;
  return plan.range.reverse === true ? { ...plan.range, before: position } : { ...plan.range, after: position };
}

interface Gathered {
  readonly entries: WordEntries;
  readonly words: readonly Item[];
  readonly left: ScanLeft;
}

/**
 * Records with a word that begins so are entered under many words, in no order of theirs: all entries are read, put in
 * the order of the plan's range and gone through. Where they are too many for that, so many records have such a word
 * that going through the range finds them.
 */
export function gatheredWalk(
  scope: Scope,
  plan: ListPlan,
  { entries, words, left }: Gathered,
  start: string | undefined,
): RecordWalk {
  const isReverse = plan.range.reverse === true;
  const isAhead = (place: string): boolean => start === undefined || (isReverse ? place < start : place > start);
  const places = [...new Set(words.map(({ sk }) => entries.placeOf(sk)))].filter(isAhead).sort();
  if (isReverse) places.reverse();
  let position = start;
  return {
    index: entries.index,
    entries: () => 0,
    next: async (limit) => {
      left.hasTime();
      const found: FollowedEntry[] = [];
      let bytes = Math.min(left.bytes, scanBudget.bytes);
      while (found.length < limit && bytes > 0) {
        const place = places.shift();
        if (place === undefined) break;
        const entry = await readPlace(scope, plan, place);
        if (entry === undefined) continue;
        bytes -= recordBytes(entry);
        found.push(entry);
      }
      return found;
    },
    passed: (sk) => {
      position = sk;
    },
    position: () => position ?? '',
    isAtEnd: () => places.length === 0,
    isSpent: () => left.bytes <= 0 || !left.hasTime(),
  };
}

/** The record at a place of a plan's range, as one moment has it: no record is taken for another that has moved. */
async function readPlace(scope: Scope, { pk, isIndex }: ListPlan, sk: string): Promise<FollowedEntry | undefined> {
  const [found] = isIndex ? await scope.follow(pk, { prefix: sk, limit: 1 }) : await scope.get([{ pk, sk }]);
  return found;
}

// Which records of a plan's range are of the answer, and what the caller may read of them.

/** Whether everything in the range is of the answer. */
export function isExact(plan: ListPlan): boolean {
  return plan.rows === undefined && isExactButForRows(plan);
}

/** Whether the range is of one owner, and a policy lets a caller have the records of that owner: it is likely that all of them are of the answer. */
export function isLikelyWhole(plan: ListPlan): boolean {
  return plan.isOfRows && isExactButForRows(plan);
}

/** Whether everything in the range is of the answer that is the caller's. */
function isExactButForRows({ residual, search, expression }: ListPlan): boolean {
  return residual.length === 0 && search === undefined && expression === undefined;
}

/** The steps that judging records by a plan has taken so far, about 2 ns each. */
export function stepsOf({ rows, textGrants, expression }: JudgedBy): number {
  return (rows?.steps() ?? 0) + (textGrants?.stepsSaved() ?? 0) + (expression?.steps() ?? 0);
}

type JudgedBy = Pick<ListPlan, 'rows' | 'textGrants' | 'expression'>;

/** A record of the range, and how it was judged where a walk had to know that. */
export interface WalkedRecord extends FollowedEntry {
  readonly judged?: Judged | 'not_asked';
}

/** A record of which the expression of a plan is asked, if there is one. */
interface Judged {
  readonly data: RecordData;
  readonly grant: RecordGrant;
}

/**
 * Judges all but the expression. Whether the record is the caller's comes first: what others take must not depend on
 * what is asked, since where a page ends tells of it.
 */
export function judgeRecord(plan: ListPlan, entity: CompiledEntity, entry: FollowedEntry): Judged | 'not_asked' {
  const known = plan.textGrants?.of(entry.value);
  if (known === 'none') return 'not_asked';
  const data = dataOf(entity, entry);
  const grant = known ?? grantIn(plan, entity, data);
  return grant === undefined || !meetsFilters(plan, data) ? 'not_asked' : { data, grant };
}

/** The part of a record in the range that the caller may read; undefined where it is not of the answer. */
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
function grantByText(plan: ListPlan, { value }: FollowedEntry): RecordGrant | 'none' | undefined {
  const { search, expression, rows, textFilters, textGrants } = plan;
  if (search !== undefined || expression !== undefined) return undefined;
  const meets = textFilters?.(value);
  if (meets === undefined) return undefined;
  const grant = rows === undefined ? wholeGrant : textGrants?.of(value);
  return grant === undefined || meets ? grant : 'none';
}

function readableBy({ fields }: RecordGrant, entry: FollowedEntry): ReadableText {
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
