import { type EntityDefinition, fieldTypeOf } from '../../schema/port.ts';

/** What a change of a definition does not do to the records that stand, and one might expect it to. */
export function changeWarnings({
  before,
  after,
}: {
  readonly before: EntityDefinition;
  readonly after: EntityDefinition;
}): readonly string[] {
  const old = new Map(before.UpdateParams.map((field) => [field.name, field]));
  return after.UpdateParams.flatMap((field) => {
    const sentence = fieldTypeOf(field).changeWarning?.(old.get(field.name), field);
    return sentence === undefined ? [] : [`field \`${field.name}\`: ${sentence}`];
  });
}
