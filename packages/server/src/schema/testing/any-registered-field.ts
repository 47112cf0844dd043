/** A field of any type, for tests of other modules. Only tests may use it. */
import { fieldTypes } from '../field-types/registry.ts';

export { fieldOf, valuesFor } from './field-cases/any-field.ts';

export const colTypes: readonly string[] = [...fieldTypes.keys()];
