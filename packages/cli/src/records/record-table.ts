/** Records as rows of a table: the id, the members that have values, and no member of the platform that was not asked for. */
import type { JsonObject } from '../json-object.ts';

const ofPlatform = ['created_at', 'updated_at', 'created_by', 'updated_by', 'version'];

export function recordRows(items: readonly JsonObject[], fields: readonly string[] | undefined) {
  const header = fields === undefined ? columnsOf(items) : ['id', ...fields.filter((field) => field !== 'id')];
  const rows = items.map((item) => header.map((name) => textOf(item[name])));
  return { header, rows };
}

function columnsOf(items: readonly JsonObject[]): readonly string[] {
  const names = new Set(items.flatMap((item) => Object.keys(item)));
  return ['id', ...[...names].filter((name) => name !== 'id' && !ofPlatform.includes(name))];
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
