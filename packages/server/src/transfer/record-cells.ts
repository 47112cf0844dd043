import type { FieldValue, Member, Projection } from '../schema/port.ts';
import { cellText } from './csv/cell-value.ts';

/** A record's cells, one for each member of the view that its JSON text was made by. */
export function recordCells(columns: Projection, text: string): readonly string[] {
  const shown: Readonly<Record<string, FieldValue | null>> = JSON.parse(text);
  return columns.map((member) => cellOf(member, shown[member.as]));
}

/**
 * The type of values that the platform sets or that were cast follows from the value; a record that was looked up is
 * JSON.
 */
function cellOf(member: Member, value: FieldValue | null | undefined): string {
  if (value === undefined) return '';
  if ('entity' in member) return JSON.stringify(value);
  if (value === null) return '';
  return member.behaviour === undefined ? String(value) : cellText(member.behaviour, value);
}
