import type { ValueType } from '../../../expressions/port.ts';
import type { FieldDefinition } from '../../definition.ts';
import { apiNamesOf } from '../../field-names.ts';
import { storedInExpressions } from '../registry.ts';
import { momentInExpressions, textInExpressions, wholeNumberInExpressions } from './expression-value.ts';

const platformTypes: ReadonlyMap<string, string> = new Map([
  ['id', textInExpressions.type],
  ['created_at', momentInExpressions.type],
  ['updated_at', momentInExpressions.type],
  ['created_by', textInExpressions.type],
  ['updated_by', textInExpressions.type],
  ['version', wholeNumberInExpressions.type],
]);

/** How templates see a record, by all names of its fields; a field without a place in CEL is any JSON. */
export function recordType(catalog: readonly FieldDefinition[]): ValueType {
  const own = catalog.flatMap((field) => {
    const type = storedInExpressions(field)?.type ?? 'dyn';
    return apiNamesOf(field).map((name) => [name, type] as const);
  });
  return { kind: 'fields', types: new Map([...own, ...platformTypes]) };
}
