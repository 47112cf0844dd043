import type { CompiledEntity } from '../../schema/port.ts';

/**
 * The fields whose stored values become what the platform computes, or are dropped for sealed ones, at the next write:
 * by the names that they had before.
 */
export function overwrittenFields(before: CompiledEntity, after: CompiledEntity): readonly string[] {
  return [...after.fields.values()]
    .map((field) => ({ ...field, name: nameUnder(before, after, field.name) }))
    .filter(({ name, behaviour: { compute, isSecret } }) => {
      const old = before.fields.get(name)?.behaviour;
      const isHeld =
        old === undefined
          ? before.hidden.includes(name) && !before.unkept.includes(name)
          : old.compute === undefined && old.isSecret !== true;
      return isHeld && (compute !== undefined || isSecret === true);
    })
    .map(({ name }) => name);
}

/** What one definition of an entity calls the values that another one has under this name. */
export function nameUnder(one: CompiledEntity, other: CompiledEntity, name: string): string {
  return one.stored.inMemory(other.stored.inStore(name));
}
