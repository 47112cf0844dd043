import { isDeepStrictEqual } from 'node:util';
import { type CompiledEntity, fieldName, fieldNamed, isValueProblem, UnreadText } from '../../schema/port.ts';

/**
 * The members of a body with the values that would be stored. What is not taken, and so refused later, stays as it is. A
 * field that is sent under several names with one value, as a record that was read has it, is one member.
 */
export function bodyAsRead(entity: CompiledEntity, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const members = Object.entries(body).map(([name, value]): readonly [string, unknown] => {
    if (value instanceof UnreadText) return [name, value.text];
    const parsed = value === null ? undefined : fieldNamed(entity, name)?.behaviour.parse(value);
    return [name, parsed === undefined || isValueProblem(parsed) ? value : parsed.value];
  });
  return Object.fromEntries(entity.aliases.size === 0 ? members : withoutRepeated(entity, members));
}

function withoutRepeated(
  entity: CompiledEntity,
  members: readonly (readonly [string, unknown])[],
): readonly (readonly [string, unknown])[] {
  const first = new Map<string, unknown>();
  return members.filter(([name, value]) => {
    const field = fieldName(entity, name);
    const isRepeated = first.has(field) && isDeepStrictEqual(first.get(field), value);
    if (!first.has(field)) first.set(field, value);
    return !isRepeated;
  });
}
