/** The place in a record's stored text of the value that a field has in memory. */
import { foldAscii } from '../../lib/fold-ascii.ts';
import { isMemberPath, type MemberPath } from '../../lib/where.ts';
import type { MemberFinder } from '../../lib/where-bounds.ts';
import { type CompiledEntity, isPlatformField } from '../../schema/port.ts';

/**
 * @param name of a field of the definition or of the platform. Undefined where the value may also be elsewhere, as before a
 * conversion, where it is still being filled in, and where no engine is asked about it.
 */
export function storedMember(entity: CompiledEntity, name: string): MemberPath | undefined {
  const { fields, stored, fills } = entity;
  const field = fields.get(name);
  // The version is that of the item.
  if (field === undefined && (!isPlatformField(name) || name === 'version')) return undefined;
  if (field?.behaviour.isSecret === true) return undefined;
  if ([...stored.conversions, ...fills].some((one) => one.name === name)) return undefined;
  const path = [stored.inStore(name)];
  return isMemberPath(path) ? path : undefined;
}

/**
 * The members that policies are asked about by the present names of fields. Where a record has no value of a field, they
 * read what is called so but for case, by any name that a field has: such fields are left out.
 */
export function judgedMembers(entity: CompiledEntity): MemberFinder {
  const names = [...new Set([...entity.fields.keys(), ...platformMembers, ...formerValues(entity)])];
  const foldedOf = (name: string): readonly string[] => namesOfField(entity, name).map(foldAscii);
  const byFolded = Map.groupBy(
    names.flatMap((name) => [...new Set(foldedOf(name))].map((folded) => ({ name, folded }))),
    ({ folded }) => folded,
  );
  return (field) => {
    const path = storedMember(entity, field);
    const isAlone = foldedOf(field).every((folded) => (byFolded.get(folded)?.length ?? 0) <= 1);
    return path === undefined || !isAlone ? undefined : { path, isAlwaysText: isPlatformField(field) };
  };
}

function namesOfField({ naming }: CompiledEntity, name: string): readonly string[] {
  return naming?.byName.get(name) ?? [name];
}

const platformMembers = ['id', 'created_at', 'updated_at', 'created_by', 'updated_by'];

/** Members that a record has in memory while it is not converted. */
function formerValues({ stored }: CompiledEntity): readonly string[] {
  return stored.conversions.flatMap(({ former }) => former.map(stored.inMemory));
}
