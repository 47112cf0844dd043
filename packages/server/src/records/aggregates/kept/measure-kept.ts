/** Works out figures of groups from the rows of an aggregate that the definition has, without a look at any record. */
import { type MemberValue, meetsWhere, typedValue, type Where } from '../../../lib/where.ts';
import type { CompiledEntity } from '../../../schema/port.ts';
import { Measuring } from '../../../store/measuring.ts';
import type { MeasureResult, Scope } from '../../../store/port.ts';
import type { ListQuery } from '../../listing/list-query.ts';
import { questionOf } from '../../query/question.ts';
import type { RecordCall } from '../../writing/write-loop.ts';
import type { AggregateQuery, MeasureTerm } from '../aggregate-query.ts';
import { type MeasuredGroups, measureOf } from '../aggregate-run.ts';
import { type CompiledAggregate, type GroupRow, keptGroupsMax, readGroupRow } from './kept-rows.ts';

interface GroupQuestion {
  readonly list: ListQuery;
  readonly query: AggregateQuery;
}

/**
 * Undefined where no aggregate answers: it has to have the fields of the groups and the figures, and the caller's conditions
 * and those of the question have to be such that they hold of all records of a group or of none.
 */
export async function measureKept(
  { entity, workspace, beneath, rows }: RecordCall,
  { list, query }: GroupQuestion,
): Promise<MeasuredGroups | undefined> {
  // A transaction would be held to each row, and so to all writers.
  if (entity.aggregates.length === 0 || beneath !== undefined) return undefined;
  const having = entity.aggregates.filter((one) => one.isReady && hasAll(one, query));
  if (having.length === 0) return undefined;
  const { filters, search } = list;
  const { where, isExact } = questionOf(entity, { filters, expression: list.expression, search, rows });
  const able = having.filter((one) => isExact && isAbout(where, new Set(one.group.map(entity.stored.inStore))));
  const aggregate = await fewestRows(workspace.scope, able);
  const found = aggregate && (await readRows(workspace.scope, aggregate));
  if (aggregate === undefined || found === undefined) return undefined;
  const soles = soleMembers(where);
  const hasUnknown = ({ values }: GroupRow): boolean =>
    aggregate.group.some((field, at) => soles.has(entity.stored.inStore(field)) && (values[at] ?? null) === null);
  // A list that an older definition left is in the group without a value, and may hold the value that is looked for.
  if (soles.size > 0 && found.some(hasUnknown)) return undefined;
  return measured(entity, aggregate, { query, where, found });
}

/** Of those that are alike, the one with the fewest fields. Each count ends where it is no less than the least. */
async function fewestRows(scope: Scope, able: readonly CompiledAggregate[]): Promise<CompiledAggregate | undefined> {
  const [first, ...others] = able.toSorted((left, right) => left.group.length - right.group.length);
  if (first === undefined || others.length === 0) return first;
  let [fewest, least] = [first, await scope.count(first.pk, {}, keptGroupsMax + 1)];
  for (const one of others) {
    const rows = least === 0 ? 0 : await scope.count(one.pk, {}, least);
    if (rows < least) [fewest, least] = [one, rows];
  }
  return fewest;
}

function hasAll({ group, sums }: CompiledAggregate, { groups, measures }: AggregateQuery): boolean {
  return groups.every(({ field, unit }) => unit === undefined && group.includes(field)) && measures.every(isKept);
  function isKept(term: MeasureTerm): boolean {
    if (term.kind === 'count') return true;
    return (term.kind === 'sum' || term.kind === 'avg') && term.type === 'integer' && sums.includes(term.field);
  }
}

/** Whether a row has the values that each record of the group has. Of lists and other values it has none. */
function isAbout(where: Where, members: ReadonlySet<string>): boolean {
  switch (where.kind) {
    case 'and':
    case 'or':
      return where.parts.every((part) => isAbout(part, members));
    case 'not':
      return isAbout(where.part, members);
    case 'present':
    case 'element':
      return false;
    default:
      return where.path.length === 1 && members.has(where.path[0] ?? '');
  }
}

function soleMembers(where: Where): ReadonlySet<string> {
  switch (where.kind) {
    case 'and':
    case 'or':
      return new Set(where.parts.flatMap((part) => [...soleMembers(part)]));
    case 'not':
      return soleMembers(where.part);
    case 'sole':
      return new Set(where.path.slice(0, 1));
    default:
      return new Set();
  }
}

const rowsPerRead = 1000;

/** Undefined where there are more than there may be, or one cannot be read: then the records are asked. */
async function readRows(scope: Scope, aggregate: CompiledAggregate): Promise<readonly GroupRow[] | undefined> {
  const rows: GroupRow[] = [];
  let after: string | undefined;
  do {
    const items = await scope.range(aggregate.pk, { ...(after === undefined ? {} : { after }), limit: rowsPerRead });
    for (const item of items) {
      const row = readGroupRow(aggregate, item);
      if (row === undefined) return undefined;
      rows.push(row);
    }
    after = items.length < rowsPerRead ? undefined : items.at(-1)?.sk;
    if (rows.length > keptGroupsMax) return undefined;
  } while (after !== undefined);
  return rows;
}

interface RowSelection {
  readonly query: AggregateQuery;
  readonly where: Where;
  readonly found: readonly GroupRow[];
}

function measured(
  { stored }: CompiledEntity,
  aggregate: CompiledAggregate,
  { query, where, found }: RowSelection,
): MeasuredGroups {
  const path = (field: string): readonly string[] => [field];
  const measuring = new Measuring({
    group: query.groups.map(({ field, type }) => ({ path: path(field), type })),
    measures: query.measures.map((term) => measureOf(term, path)),
  });
  const members = aggregate.group.map(stored.inStore);
  const places = query.groups.map(({ field }) => aggregate.group.indexOf(field));
  for (const { values, figures } of found) {
    if (!meetsWhere(where, Object.fromEntries(members.map((member, at) => [member, values[at]])))) continue;
    const key = query.groups.map(
      ({ type }, at): MemberValue | null => typedValue(values[places[at] ?? -1], type) ?? null,
    );
    measuring.merge({ key, results: query.measures.map((term) => resultOf(term, aggregate, figures)) });
  }
  const buckets = query.groups.map(() => undefined);
  return { groups: measuring.groups(), partial: undefined, buckets, aggregate: aggregate.name };
}

function resultOf(term: MeasureTerm, { sums }: CompiledAggregate, figures: readonly bigint[]): MeasureResult {
  if (term.kind === 'count') return { kind: 'count', count: Number(figures[0]) };
  const at = 1 + 2 * sums.indexOf(term.field);
  return { kind: 'sum', count: Number(figures[at + 1]), sum: figures[at] ?? 0n };
}
