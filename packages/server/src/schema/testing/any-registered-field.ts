/** What tests of other rooms need to go through every type of fields. Only tests may use it. */
import { fieldTypes } from '../field-types/registry.ts';

export { fieldOf, valuesFor } from './field-cases/any-field.ts';

export const colTypes: readonly string[] = [...fieldTypes.keys()];
