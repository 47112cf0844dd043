import { type EntityDefinition, fieldTypeOf, storedNameOf } from '../../schema/port.ts';

/** What a change of a definition does not do to stored records and to policies, though one might expect it to. */
export function changeWarnings({
  before,
  after,
  removed,
}: {
  readonly before: EntityDefinition;
  readonly after: EntityDefinition;
  readonly removed: readonly string[];
}): readonly string[] {
  const old = new Map(before.UpdateParams.map((field) => [storedNameOf(field), field]));
  const changed = after.UpdateParams.flatMap((field) => {
    const sentence = fieldTypeOf(field).changeWarning?.(old.get(storedNameOf(field)), field);
    return sentence === undefined ? [] : [`field \`${field.name}\`: ${sentence}`];
  });
  return [...changed, ...removed.map(removalWarning)];
}

function removalWarning(name: string): string {
  return `field \`${name}\`: policies that name it stay, and apply to a later field of this name`;
}
