import type { Projection } from '../../schema/port.ts';
import type { StoredRecord } from '../record.ts';
import { type FieldNames, isReadable } from '../record-policy.ts';

/** A record to be shown, and which of its fields are the reader's; undefined is every field. */
export interface ShownRecord extends Pick<StoredRecord, 'data' | 'version'> {
  readonly fields?: FieldNames | undefined;
}

/** What of a view shows fields that are the reader's. */
export function readableMembers(projection: Projection, fields: FieldNames | undefined): Projection {
  return fields === undefined ? projection : projection.filter(({ field }) => isReadable(fields, field));
}
