import { findItem } from './listing/find-record.ts';
import { dataOf } from './record.ts';
import type { ReadableText } from './record-policy.ts';
import { assertVisible } from './writing/checks/record-checks.ts';
import type { RecordCall } from './writing/write-loop.ts';

/** A record's text as its caller may read it. @throws Problem `not_found` where it is not the caller's. */
export async function readText(call: RecordCall, id: string): Promise<ReadableText | undefined> {
  const item = await findItem(call, id);
  if (item === undefined || call.rows === undefined) return item;
  const { fields } = assertVisible(call, dataOf(call.entity, item));
  return fields === undefined ? item : { value: item.value, version: item.version, fields };
}
