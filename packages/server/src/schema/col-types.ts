import { fieldTypes } from './field-types/registry.ts';

/** Every `colType` that a field of a definition may have. */
export const colTypes: readonly string[] = [...fieldTypes.keys()];
