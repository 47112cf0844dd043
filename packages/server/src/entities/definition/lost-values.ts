import type { CompiledEntity } from '../../schema/port.ts';

/** The fields whose stored values become what the platform computes, or are dropped for sealed ones, at the next write. */
export function overwrittenFields(before: CompiledEntity, after: CompiledEntity): readonly string[] {
  return [...after.fields.values()]
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
