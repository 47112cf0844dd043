import { foldAscii } from '../access/glob.ts';
import { escapeKeyValue } from '../entities/key-template.ts';
import type { RecordData } from '../entities/record.ts';
import type { PlannedChange } from '../entities/write-loop.ts';
import { Problem } from '../lib/problem.ts';
import type { Key } from '../store/port.ts';

export interface UniqueValue {
  readonly entity: string;
  readonly index: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Takes a value and frees the one before it, in the record's own commit: of any number of writers one takes it. */
export function uniqueSentinel(unique: UniqueValue): readonly PlannedChange[] {
  const { entity, index, before, after } = unique;
  if (before === after) return [];
  const key = (value: string): Key => ({ pk: `unique#${entity};${index}`, sk: escapeKeyValue(value) });
  const changes: PlannedChange[] = [];
  if (before !== undefined)
    changes.push({ change: { kind: 'remove', ...key(before), if: 'any' }, onConflict: 'replan' });
  if (after !== undefined)
    changes.push({
      change: { kind: 'put', ...key(after), value: '{}', if: 'absent' },
      onConflict: () => new Problem('unique_violation', `Unique constraint violation on field: ${index}`),
    });
  return changes;
}

/** Names are unique in their workspace, ignoring the case of ASCII letters. */
export function uniqueName(
  entity: string,
  write: { readonly before?: RecordData | undefined; readonly after?: RecordData | undefined },
): readonly PlannedChange[] {
  const name = (data: RecordData | undefined): string | undefined =>
    data === undefined ? undefined : foldAscii(String(data.name));
  return uniqueSentinel({ entity, index: 'name', before: name(write.before), after: name(write.after) });
}
