import { type CompiledEntity, type ReferenceMap, withReferences, writeReferences } from '../schema/port.ts';
import type { Change } from '../store/port.ts';
import type { ConfigSet } from './config-set.ts';
import { references } from './org-keys.ts';

/** What a change of an entity changes in who refers to whom: nothing, or the one item that says so. */
export function referencesChange(
  set: ConfigSet,
  entity: { readonly name: string; readonly compiled: CompiledEntity | undefined },
  version: number,
): readonly Change[] {
  return referencesPut(set.references, withReferences(set.references, entity, version));
}

/** The same of a map as a whole. */
export function referencesPut(before: ReferenceMap, after: ReferenceMap): readonly Change[] {
  if (writeReferences(after) === writeReferences(before)) return [];
  return [references.put(undefined, after, { if: 'any' })];
}
