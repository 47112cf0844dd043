import { isPlatformField } from '../definition.ts';
import { reservedTokens } from '../key-template.ts';
import { fieldNameProblem } from '../names.ts';
import { isObject } from './members.ts';

/** What is sent as a new definition, and a remark on each field that was added. */
export interface WithOwnerFields {
  readonly input: unknown;
  readonly warnings: readonly string[];
}

/**
 * Adds the fields that `ownerIndexes` of a new definition name and that are none, as `guid`. A name that no such field
 * may have is left for the parser to refuse.
 */
export function withOwnerFields(input: unknown): WithOwnerFields {
  if (!isObject(input)) return { input, warnings: [] };
  const { UpdateParams = [], ownerIndexes } = input;
  if (!Array.isArray(UpdateParams) || !Array.isArray(ownerIndexes)) return { input, warnings: [] };
  const taken = new Set(UpdateParams.flatMap(namesIn));
  const named = new Set(ownerIndexes.map((index: unknown) => (isObject(index) ? index.ownerFieldName : undefined)));
  const added = [...named].filter((name): name is string => mayBeAdded(name) && !taken.has(name));
  if (added.length === 0) return { input, warnings: [] };
  return {
    input: { ...input, UpdateParams: [...UpdateParams, ...added.map((name) => ({ name, colType: 'guid' }))] },
    warnings: added.map((name) => `field \`${name}\` is added as a \`guid\`: \`ownerFieldName\` names it`),
  };
}

function mayBeAdded(name: unknown): name is string {
  if (typeof name !== 'string' || fieldNameProblem(name) !== undefined) return false;
  return !isPlatformField(name) && !reservedTokens.includes(name);
}

/** Each name that a field has or had: another field may not have it. */
function namesIn(field: unknown): readonly unknown[] {
  if (!isObject(field)) return [];
  const { name, aliases, formerNames, storedAs } = field;
  return [name, storedAs, aliases, formerNames].flat();
}
