/** Callers may name a field by an alias. Writes work with the names of the fields, and refusals name what was sent. */
import { isDeepStrictEqual } from 'node:util';
import type { InputError } from '@freehold/contract/problem';
import { pointerTo } from '../../lib/json-pointer.ts';
import { errorsMax, Problem } from '../../lib/problem.ts';
import { type CompiledEntity, fieldName, fieldNamed, isValueProblem, UnreadText } from '../../schema/port.ts';

export interface NamedBody {
  readonly body: unknown;
  /** Names of one field that were sent with different values. */
  readonly errors: readonly InputError[];
}

type Aliases = Pick<CompiledEntity, 'aliases'>;

/**
 * A body in which a field has two names must give both one value, as a record has that was read and is sent back. In an
 * update one of them may be the stored value: the other one is what its sender has changed.
 * @param isStored whether a field has the value in the record.
 */
export function namedBody(
  entity: Aliases,
  body: unknown,
  isStored: (name: string, value: unknown) => boolean = () => false,
): NamedBody {
  if (entity.aliases.size === 0 || !isRecord(body)) return { body, errors: [] };
  const named = new Map<string, { readonly sent: string; readonly value: unknown }>();
  const errors: InputError[] = [];
  for (const [sent, value] of Object.entries(body)) {
    const name = fieldName(entity, sent);
    const before = named.get(name);
    if (before === undefined || isStored(name, before.value)) named.set(name, { sent, value });
    else if (!isDeepStrictEqual(value, before.value) && !isStored(name, value) && errors.length <= errorsMax)
      errors.push(contradiction(before.sent, sent));
  }
  return { body: Object.fromEntries([...named].map(([name, { value }]) => [name, value])), errors };
}

function contradiction(first: string, second: string): InputError {
  const message = `\`${first}\` and \`${second}\` are names of one field, and have different values: send one of them`;
  return { pointer: pointerTo(second), code: 'contradiction', message };
}

/** A refusal of a write, with the names that its body has for the fields. */
export function refusalAsSent(entity: Aliases, body: unknown, problem: Problem): Problem {
  const { errors, ...details } = problem.details;
  if (errors === undefined || entity.aliases.size === 0) return problem;
  const shown = errorsAsSent(entity, body, errors);
  const message = errors.reduce(
    (text, error, at) => text.replace(error.message, () => shown[at]?.message ?? ''),
    problem.message,
  );
  return new Problem(problem.code, message, { ...details, errors: shown }, problem.cause);
}

/** The same of errors alone. */
export function errorsAsSent(entity: Aliases, body: unknown, errors: readonly InputError[]): readonly InputError[] {
  if (entity.aliases.size === 0 || !isRecord(body)) return errors;
  const sentAs = new Map<string, string>();
  for (const [alias, name] of entity.aliases)
    if (Object.hasOwn(body, alias) && !Object.hasOwn(body, name)) sentAs.set(name, alias);
  return errors.map((error) => {
    const [, name = '', ...rest] = error.pointer.split('/');
    const sent = sentAs.get(name);
    if (sent === undefined) return error;
    const message = error.message.replace(`field \`${name}\``, () => `field \`${sent}\``);
    return { ...error, pointer: ['', sent, ...rest].join('/'), message };
  });
}

function isRecord(body: unknown): body is Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null && !Array.isArray(body);
}

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
