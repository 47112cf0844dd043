/** What a chart shows of the records of a list: by what they are grouped, and the conditions that are met by one group. */
import type { Column } from '../list/columns.ts';
import type { Condition } from '../list/list-search.ts';
import { isGrouping, isInstant, isTime } from './measures.ts';
import { endOf, startOf, type TimeUnit, timeUnits } from './time-parts.ts';

interface Grouping {
  readonly field: string;
  readonly unit: TimeUnit | undefined;
}

/** Reads `status` or `month(due)`. */
export function readGrouping(text: string): Grouping {
  const [, name, inner] = /^([a-z]+)\((.+)\)$/.exec(text) ?? [];
  const unit = timeUnits.find((one) => one === name);
  return unit === undefined || inner === undefined ? { field: text, unit: undefined } : { field: inner, unit };
}

export function groupingText({ field, unit }: Grouping): string {
  return unit === undefined ? field : `${unit}(${field})`;
}

/** The grouping with which one begins by a column. */
export function groupingOf(column: Column): Grouping {
  return { field: column.field, unit: isTime(column) ? 'month' : undefined };
}

/** The columns that group records, one for each field. */
export function groupingColumns(columns: readonly Column[], hidden: ReadonlySet<string>): readonly Column[] {
  const fields = new Set<string>();
  const able = columns.filter((column) => isGrouping(column) && !hidden.has(column.name) && column.field !== 'id');
  return able.filter(({ field }) => !fields.has(field) && fields.add(field));
}

const speaking = ['choice', 'boolean', 'lookup'] as const;

/** What a chart shows at first: a field with few values where there is one, else when the records were made. */
export function firstGrouping(columns: readonly Column[]): Grouping {
  const column = speaking.map((kind) => columns.find((one) => one.kind === kind)).find((one) => one !== undefined);
  return column === undefined ? { field: 'created_at', unit: 'month' } : groupingOf(column);
}

export type GroupValue = string | number | boolean | null;

/** The condition that the records of a group meet; undefined where none can say it. */
export function conditionOfGroup({ field, unit }: Grouping, column: Column, value: GroupValue): Condition | undefined {
  if (value === null) return { field, operator: 'exists', value: 'false' };
  if (unit === undefined) return value === '' ? undefined : { field, operator: 'eq', value: String(value) };
  const start = startOf(unit, String(value));
  if (Number.isNaN(start)) return undefined;
  const [from, to] = [start, endOf(unit, start) - 1].map((time) => new Date(time).toISOString());
  const bounds = isInstant(column) ? [from, to] : [from?.slice(0, 10), to?.slice(0, 10)];
  return { field, operator: 'between', value: bounds.join() };
}
