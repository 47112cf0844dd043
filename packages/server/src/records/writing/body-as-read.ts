import { type CompiledEntity, fieldNamed, isValueProblem, UnreadText } from '../../schema/port.ts';

/** The members of a body with the values that would be stored. What is not taken, and so refused later, stays as it is. */
export function bodyAsRead(entity: CompiledEntity, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const members = Object.entries(body).map(([name, value]) => {
    if (value instanceof UnreadText) return [name, value.text];
    const parsed = value === null ? undefined : fieldNamed(entity, name)?.behaviour.parse(value);
    return [name, parsed === undefined || isValueProblem(parsed) ? value : parsed.value];
  });
  return Object.fromEntries(members);
}
