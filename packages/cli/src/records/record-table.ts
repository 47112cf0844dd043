/** Records as rows of a table: the id, the members that have values, and no member of the platform that was not asked for. */
import { isObject, type JsonObject } from '../json-object.ts';

const ofPlatform = ['created_at', 'updated_at', 'created_by', 'updated_by', 'version'];

export function recordRows(items: readonly JsonObject[], fields: readonly string[] | undefined) {
  const header = fields === undefined ? columnsOf(items) : ['id', ...fields.filter((field) => field !== 'id')];
  const rows = items.map((item) => header.map((name) => textOf(item[name])));
  return { header, rows };
}

/** Groups of records: what they are groups of, and then their figures. */
export function groupRows(items: readonly JsonObject[]) {
  const members = items.map(({ group, values }) =>
    [group, values].flatMap((of) => (isObject(of) ? Object.entries(of) : [])),
  );
  const header = (members[0] ?? []).map(([name]) => name);
  // A cell with nothing is that of the records without a value.
  return { header, rows: members.map((row) => row.map(([, value]) => (value === '' ? '""' : textOf(value)))) };
}

function columnsOf(items: readonly JsonObject[]): readonly string[] {
  const names = new Set(items.flatMap((item) => Object.keys(item)));
  return ['id', ...[...names].filter((name) => name !== 'id' && !ofPlatform.includes(name))];
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
