import type { InputError } from '@freehold/contract/problem';
import { invalidBody } from '../../lib/problem.ts';
import { type EntityDefinition, isObject, namesOf, storedNameOf } from '../../schema/port.ts';

/**
 * Members of fields that the platform keeps may be sent as they stand, or as they stood before a rename.
 * @param sent the members of a change of the definition, read or not. @throws Problem `validation_failed`.
 */
export function refuseKeptMembers({ UpdateParams }: EntityDefinition, sent: unknown): void {
  const fields: readonly unknown[] = isObject(sent) && Array.isArray(sent.UpdateParams) ? sent.UpdateParams : [];
  const errors = fields.flatMap((field, index): readonly InputError[] => {
    if (!isObject(field)) return [];
    const { storedAs, formerNames = [] } = field;
    const standing = UpdateParams.find(({ name }) => name === field.name);
    const names: readonly unknown[] = standing === undefined ? [] : namesOf(standing);
    const isStored = storedAs === undefined || (standing !== undefined && storedAs === storedNameOf(standing));
    const areFormer = Array.isArray(formerNames) && formerNames.every((name) => names.includes(name));
    const mistake = (member: string): InputError => ({
      pointer: `/UpdateParams/${index}/${member}`,
      code: 'read_only',
      message: `\`${member}\` is kept by the platform, and may be left out`,
    });
    return [...(isStored ? [] : [mistake('storedAs')]), ...(areFormer ? [] : [mistake('formerNames')])];
  });
  if (errors.length > 0) throw invalidBody(errors);
}
