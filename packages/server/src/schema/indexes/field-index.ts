import type { CompiledIndex, CompiledIndexes, EncodedField } from './compile-indexes.ts';

export type FieldIndex = CompiledIndex & { readonly kind: 'field'; readonly order: EncodedField };

/** The index on a field as the definition wants it: an older one that is being dropped comes after it. */
export function fieldIndex({ indexes }: Pick<CompiledIndexes, 'indexes'>, field: string): FieldIndex | undefined {
  return indexes.find((index): index is FieldIndex => index.kind === 'field' && index.name === field);
}

/** The index on the elements of a field as the definition wants it. */
export function elementIndex({ indexes }: Pick<CompiledIndexes, 'indexes'>, field: string): CompiledIndex | undefined {
  return indexes.find(({ kind, name }) => kind === 'elements' && name === field);
}
