import type { Creation } from '../records/port.ts';
import { type CompiledEntity, fieldNamed, isPlatformField, isPlatformMade } from '../schema/port.ts';

/** A row that could be read, on its way to be a record. If it makes a new one, that is `creation`. */
export interface ImportRow {
  readonly row: number;
  readonly creation: Creation;
  /** What an update by the row has to say beside what a new record is made of: the `version` that it is based on. */
  readonly base: { readonly version?: unknown };
}

/** The `version` of a row that may be about a record that is there. */
export function baseOf(record: unknown): ImportRow['base'] {
  const isNamed = typeof record === 'object' && record !== null && Object.hasOwn(record, 'version');
  return isNamed ? { version: Reflect.get(record, 'version') } : {};
}

/**
 * What of a row is the client's to say. What the platform sets and computes is passed over, so that what was exported
 * can be imported again.
 * @param ignored learns the names of what was passed over.
 */
export function sentFields(entity: CompiledEntity, record: unknown, ignored: Set<string>): unknown {
  // Anything else is refused as the body of a create would be.
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return record;
  const sent: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) {
    const field = fieldNamed(entity, name);
    if (isPlatformField(name) || (field !== undefined && isPlatformMade(field.behaviour))) ignored.add(name);
    else Object.defineProperty(sent, name, { value, enumerable: true });
  }
  return sent;
}
