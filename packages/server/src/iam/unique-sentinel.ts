import { escapeKeyValue } from '../entities/key-template.ts';
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
