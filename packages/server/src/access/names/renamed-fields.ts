import type { CompiledStatement } from '../compiled-statement.ts';
import type { AccessContext } from '../context/context.ts';
import { type FieldNaming, fieldsRenamedFrom } from '../context/field-naming.ts';
import { type Effort, spend } from '../effort.ts';
import { type Glob, matchesGlob } from '../patterns/glob.ts';
import { keysOf } from '../patterns/resource-glob.ts';

/** A field that a statement means by a name that is not its present one. */
export interface RenamedField {
  /** The key, or the pattern in `Fields`, as the statement has it. */
  readonly name: string;
  /** The present name. */
  readonly field: string;
}

const renamedMax = 20;

/** What a statement calls otherwise than it is called now: some of it, where it is much. */
export function renamedFields(
  statement: CompiledStatement,
  context: () => AccessContext,
  effort: Effort,
): readonly RenamedField[] {
  const { tests, resources, fields } = statement;
  const keys = [...tests.flatMap((one) => one.keys), ...resources.flatMap(keysOf)];
  if (keys.length === 0 && fields === undefined) return [];
  const { naming } = context();
  if (naming === undefined) return [];
  const found = new Map<string, RenamedField>();
  const add = (name: string, field: string) => {
    if (found.size < renamedMax) found.set(`${name} ${field}`, { name, field });
  };
  for (const key of keys) {
    for (const name of key.fieldNames(context())) {
      if (!spend(effort, stepsOfKey)) break;
      for (const field of fieldsRenamedFrom(naming, name)) add(key.text, field);
    }
  }
  for (const glob of fields?.includes ?? [])
    for (const field of fieldsMatchedBefore(naming, glob, effort)) add(glob.pattern, field);
  for (const glob of fields?.excludes ?? [])
    for (const field of fieldsMatchedBefore(naming, glob, effort)) add(`!${glob.pattern}`, field);
  return [...found.values()];
}

const stepsOfKey = 32;

/** The present names of fields that a pattern matches by other names alone. */
function fieldsMatchedBefore({ byName }: FieldNaming, glob: Glob, effort: Effort): readonly string[] {
  if (glob.kind === 'any' || !spend(effort, byName.size)) return [];
  return [...byName].flatMap(([name, [present = name, ...others]]) => {
    if (name !== present || matchesGlob(glob, present, effort)) return [];
    return others.some((other) => matchesGlob(glob, other, effort)) ? [present] : [];
  });
}
