/** Works out figures of groups where the records lie, without reading them. */
import { isWhere, type Where } from '../../lib/where.ts';
import { Measuring } from '../../store/measuring.ts';
import type { GroupMember, Measure, MeasureRead } from '../../store/port.ts';
import type { GroupTerm } from './aggregate-query.ts';
import {
  bucketsOf,
  type MeasuredGroups,
  measureOf,
  type PartialReason,
  partsOf,
  type Run,
  readParts,
  storedPath,
  tooManyBuckets,
  tooManyGroups,
} from './aggregate-run.ts';
import type { Bucket, Buckets } from './time-buckets.ts';

/** Undefined where the store cannot be asked in this way. */
export async function measureWhereStored(run: Run): Promise<MeasuredGroups | undefined> {
  const { call, query, plan } = run;
  const { question } = plan;
  const pathOf = (field: string): readonly string[] => storedPath(call.entity, field) ?? [];
  const spans = await spansOf(run, pathOf);
  if (spans === undefined) return undefined;
  const windows = spans.spans.flatMap((span, at) =>
    span === undefined ? [] : windowOf(query.groups[at], pathOf, span),
  );
  const where: Where = windows.length === 0 ? question.where : { kind: 'and', parts: [question.where, ...windows] };
  if (!isWhere(where)) return undefined;
  const group = query.groups.map(({ field, type }, at): GroupMember => {
    const bounds = spans.spans[at]?.found.map(({ start }) => start);
    return { path: pathOf(field), type, ...(bounds === undefined ? {} : { bounds }) };
  });
  const measures = query.measures.map((term) => measureOf(term, pathOf));
  const { groups, partial } = await measureParts(run, { where, group, measures });
  const keyed = groups.map(({ key, results }) => ({
    key: key.map((value, at) => {
      const span = spans.spans[at];
      return span === undefined || value === null ? value : (span.found[Number(value) - 1]?.start ?? null);
    }),
    results,
  }));
  return { groups: keyed, partial: spans.partial ?? partial, buckets: spans.spans.map((span) => span?.buckets) };
}

/** The buckets from the least time of a term to the greatest. */
interface TimeSpan {
  readonly buckets: Buckets;
  readonly found: readonly Bucket[];
}

interface TimeSpans {
  readonly spans: readonly (TimeSpan | undefined)[];
  readonly partial: PartialReason | undefined;
}

async function spansOf(run: Run, pathOf: (field: string) => readonly string[]): Promise<TimeSpans | undefined> {
  const { query, plan, deps } = run;
  const { question } = plan;
  if (query.groups.every(({ unit }) => unit === undefined)) return { spans: [], partial: undefined };
  const ends = query.groups.flatMap(({ field, type, unit }): readonly Measure[] =>
    unit === undefined ? [] : (['min', 'max'] as const).map((kind) => ({ kind, path: pathOf(field), type })),
  );
  if (!isWhere(question.where)) return undefined;
  const { groups, partial } = await measureParts(run, { where: question.where, group: [], measures: ends });
  const values = (groups[0]?.results ?? []).map((result) => ('value' in result ? result.value : undefined));
  const spans: (TimeSpan | undefined)[] = [];
  let at = 0;
  for (const term of query.groups) {
    const buckets = bucketsOf(term, query);
    if (buckets === undefined) {
      spans.push(undefined);
      continue;
    }
    const [least, greatest] = [values[at], values[at + 1]];
    at += 2;
    const found =
      typeof least === 'string' && typeof greatest === 'string'
        ? buckets.between(least, greatest, deps.bounds.bucketsMax)
        : [];
    if (found === undefined) throw tooManyBuckets(term, deps.bounds);
    spans.push({ buckets, found });
  }
  return { spans, partial };
}

/** A record that is written once the ends are known, and lies beyond them, is left out: as if it came later. */
function windowOf(
  term: GroupTerm | undefined,
  pathOf: (field: string) => readonly string[],
  { found }: TimeSpan,
): readonly Where[] {
  if (term === undefined) return [];
  const member = { path: pathOf(term.field), type: term.type };
  const isAbsent: Where = { kind: 'not', part: { kind: 'exists', ...member } };
  const [first, last] = [found[0], found.at(-1)];
  if (first === undefined || last === undefined) return [isAbsent];
  const from: Where = { kind: 'compare', operator: 'gte', value: first.start, ...member };
  const parts: readonly Where[] =
    last.end === undefined ? [from] : [from, { kind: 'compare', operator: 'lt', value: last.end, ...member }];
  return [{ kind: 'or', parts: [{ kind: 'and', parts }, isAbsent] }];
}

async function measureParts(
  run: Run,
  wanted: Pick<MeasureRead, 'where' | 'group' | 'measures'>,
): Promise<Omit<MeasuredGroups, 'buckets'>> {
  const { deps, call } = run;
  const { recordsMax, milliseconds, groupsMax } = deps.bounds;
  const { scope } = call.workspace;
  const measuring = new Measuring(wanted);
  const startedAt = deps.elapsed();
  let looked = 0;
  const partial = await readParts(await partsOf(scope, run.plan), async ({ pk, range }) => {
    if (looked >= recordsMax) return { partial: 'records' };
    if (looked > 0 && deps.elapsed() - startedAt >= milliseconds) return { partial: 'time' };
    const measured = await scope.measure(pk, { ...wanted, ...range, rowsMax: recordsMax - looked, groupsMax });
    for (const group of measured.groups) measuring.merge(group);
    if (measured.endedBy === 'groups' || measuring.size > groupsMax) throw tooManyGroups(deps.bounds);
    looked += measured.rows;
    return measured.endedBy === undefined ? measured : { partial: partialOf(measured.endedBy) };
  });
  return { groups: measuring.groups(), partial };
}

function partialOf(endedBy: 'rows' | 'time'): PartialReason {
  return endedBy === 'rows' ? 'records' : 'time';
}
