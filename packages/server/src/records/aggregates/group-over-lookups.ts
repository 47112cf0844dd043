/** Groups by fields of the records that lookups point to. */
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import { type MemberValue, typedValue } from '../../lib/where.ts';
import { Measuring } from '../../store/measuring.ts';
import { shareKeyOf } from '../../tenancy/port.ts';
import type { AuthorizedCall } from '../caller-access.ts';
import { findItems } from '../listing/find-record.ts';
import { dataOf, type RecordData } from '../record.ts';
import { isReadable } from '../record-policy.ts';
import { countedGrantOn } from '../writing/record-checks.ts';
import type { AggregateQuery, GroupTerm, LookupStep } from './aggregate-query.ts';
import { bucketsOf, type MeasuredGroups, measureOf, type Started, startIn, tooManyBuckets } from './aggregate-run.ts';

/** The query whose groups are made by the lookups themselves. */
export function byLookups(query: AggregateQuery): AggregateQuery {
  const groups = query.groups.map((term) => (term.over === undefined ? term : { ...term, unit: undefined }));
  return { ...query, groups };
}

/**
 * Puts groups by lookups together into those by the fields that are asked for. A record that the caller may not get, or
 * whose field he may not read, has no value, as in filters.
 * @param measured by `byLookups(query)`. @throws Problem `invalid_request` where there are too many parts of time.
 */
export async function groupOverLookups(
  run: Started,
  query: AggregateQuery,
  measured: MeasuredGroups,
): Promise<MeasuredGroups> {
  if (query.groups.every(({ over }) => over === undefined)) return measured;
  const values: (LookupValues | undefined)[] = [];
  for (const [at, term] of query.groups.entries()) {
    const ids = new Set(measured.groups.map(({ key }) => key[at]));
    values.push(term.over === undefined ? undefined : await valuesOver(run, term, ids));
  }
  const buckets = query.groups.map((term, at) =>
    term.over === undefined ? measured.buckets[at] : bucketsOf({ ...term, ...term.over.field }, query),
  );
  const merging = new Measuring({
    group: query.groups.map(({ field, type }) => ({ path: [field], type })),
    measures: query.measures.map((term) => measureOf(term, (field) => [field])),
  });
  let partial = measured.partial;
  for (const { key, results } of measured.groups) {
    const found = key.map((value, at) => {
      const over = values[at];
      return over === undefined || value === null ? value : over.get(value);
    });
    const whole = found.filter((value) => value !== undefined);
    if (whole.length < found.length) {
      partial ??= 'time';
      continue;
    }
    const starts = whole.map((value, at) => {
      const [term, of] = [query.groups[at], buckets[at]];
      if (term?.over === undefined || of === undefined) return value;
      const start = startIn(of, term.over.field, value) ?? null;
      if (of.size > run.deps.bounds.bucketsMax) throw tooManyBuckets(term, run.deps.bounds);
      return start;
    });
    merging.merge({ key: starts, results });
  }
  return { groups: merging.groups(), partial, buckets };
}

/** By ids; those that no time was left to read are not in it. */
type LookupValues = ReadonlyMap<MemberValue, MemberValue | null>;

const readAtOnce = 100;

async function valuesOver(
  { call, deps, startedAt }: Started,
  { over }: GroupTerm,
  keys: ReadonlySet<MemberValue | null | undefined>,
): Promise<LookupValues> {
  const values = new Map<MemberValue, MemberValue | null>();
  if (over === undefined) return values;
  const effort = { steps: 0 };
  const pause = createYielder(shareKeyOf(call.workspace), () => effort.steps);
  const ids = [...keys].filter((id) => typeof id === 'string');
  for (let start = 0; start < ids.length; start += readAtOnce) {
    if (start > 0 && deps.elapsed() - startedAt >= deps.bounds.milliseconds) break;
    const chunk = ids.slice(start, start + readAtOnce);
    for (const id of chunk) values.set(id, null);
    for (const item of await findItems({ workspace: call.workspace, entity: over.entity }, chunk)) {
      const data = dataOf(over.entity, item);
      values.set(data.id, readableValue(call, over, data, effort));
      await pause();
    }
  }
  return values;
}

function readableValue(
  { access }: AuthorizedCall,
  { entity, field: { field, type } }: LookupStep,
  data: RecordData,
  effort: { steps: number },
): MemberValue | null {
  const rows = access.rows({ verb: 'get', entity, id: data.id });
  if (rows?.isNone === true) return null;
  const grant = countedGrantOn(rows, entity, { data, effort });
  return grant !== undefined && isReadable(grant.fields, field) ? (typedValue(data[field], type) ?? null) : null;
}
