import type { CompiledEntity } from '../schema/port.ts';
import { withReferences, writeReferences } from '../schema/port.ts';
import type { Change } from '../store/port.ts';
import type { ConfigSet } from './config-set.ts';
import { referencesKey } from './org-keys.ts';

/** What a change of an entity changes in who refers to whom: nothing, or the one item that says so. */
export function referencesChange(
  set: ConfigSet,
  entity: { readonly name: string; readonly compiled: CompiledEntity | undefined },
  version: number,
): readonly Change[] {
  const value = writeReferences(withReferences(set.references, entity, version));
  return value === writeReferences(set.references) ? [] : [{ kind: 'put', ...referencesKey, value, if: 'any' }];
}
