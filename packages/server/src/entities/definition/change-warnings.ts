import type { EntityDefinition, FieldDefinition } from '../../schema/port.ts';

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
    const sentence = warningOf(old.get(field.name), field);
    return sentence === undefined ? [] : [`field \`${field.name}\`: ${sentence}`];
  });
}

function warningOf(old: FieldDefinition | undefined, field: FieldDefinition): string | undefined {
  const isNew = old?.colType !== field.colType;
  switch (field.colType) {
    case 'formula':
      return isNew || old?.formula !== field.formula
        ? 'records get its new value when they are next written'
        : undefined;
    case 'autoincrement':
      return isNew ? 'records from before have no number' : undefined;
    case 'encrypted':
      return isNew && old !== undefined
        ? 'what records hold of it is shown no more, and stays unsealed in the store until they are next written'
        : undefined;
    default:
      return undefined;
  }
}
