import type { AccessContext } from '../context/context.ts';
import { inSmallLetters } from './reference-letters.ts';

/** Whether a condition may ask for the key at all. */
export function isKey(key: string): boolean {
  const [root, name, ...more] = key.split('.').map(inSmallLetters);
  const path = key.split('.').slice(1);
  if (root === 'user') return ['id', 'email'].includes(name ?? '') && more.length === 0;
  if (root === 'tenant') return ['id', 'code'].includes(name ?? '') && more.length === 0;
  if (root === 'jwt') return isPath(path) && name !== 'role';
  if (root === 'record') return isPath(path);
  if (root !== 'request') return false;
  if (name === 'pathparameters') return more.length === 1 && ['id', 'entity'].includes(more[0] ?? '');
  if (name === 'queryparameters') return more.join('.') !== '';
  if (name === 'body') return isPath(more);
  return ['method', 'path', 'ip', 'time', 'origin'].includes(name ?? '') && more.length === 0;
}

/** The values behind a key that may be asked for; none when it is missing. `request.time` is a `Date`. */
export function valuesOf(key: string, context: AccessContext): readonly unknown[] {
  return readingsOf(key, context).flat();
}

/** What the key may mean: the values of each member that it leads to, one unless some names differ in case alone. */
export function readingsOf(key: string, context: AccessContext): readonly (readonly unknown[])[] {
  return whatIsCalled(key, context).map(asValues);
}

function whatIsCalled(key: string, context: AccessContext): readonly unknown[] {
  const [root = '', name = '', ...rest] = key.split('.');
  switch (inSmallLetters(root)) {
    case 'user':
      return walk(context.user, [name]);
    case 'tenant':
      return walk(context.tenant, [name]);
    case 'jwt':
      return walk(context.jwt, [name, ...rest]);
    case 'record': {
      const state = rest.length === 0 ? undefined : stateCalled(inSmallLetters(name), context);
      if (state !== undefined) return walk(state, rest, 'fields');
      return walk(context.record, [name, ...rest], 'fields');
    }
    default:
      return ofRequest(context.request, inSmallLetters(name), rest);
  }
}

/** A write has a record before it, after it, or both; anything else under these names is a field. */
function stateCalled(name: string, { before, after }: AccessContext): AccessContext['record'] {
  return name === 'before' ? before : name === 'after' ? after : undefined;
}

function ofRequest(request: AccessContext['request'], name: string, rest: readonly string[]): readonly unknown[] {
  if (name === 'time') return [new Date(request.time)];
  if (name === 'body') return walk(request.body, rest);
  if (name === 'pathparameters') return walk(request.pathParameters, rest);
  if (name === 'queryparameters') return walk(Object.fromEntries(request.queryParameters), [rest.join('.')]);
  return walk(request, [name]);
}

function isPath(names: readonly string[]): boolean {
  return names.length > 0 && !names.includes('');
}

/**
 * Everything that the names may lead to, through every member that is called so but for case; nothing is something, too. With `fields`, the names of the
 * first object are fields, and the one that is called exactly so is meant.
 */
function walk(start: unknown, names: readonly string[], first?: 'fields'): readonly unknown[] {
  const [name, ...rest] = names;
  if (name === undefined) return [start];
  if (typeof start !== 'object' || start === null || Array.isArray(start)) return [undefined];
  const members: readonly (readonly [string, unknown])[] = Object.entries(start);
  const exact = members.filter(([other]) => other === name);
  const alike = members.filter(([other]) => inSmallLetters(other) === inSmallLetters(name));
  const meant = first === 'fields' && exact.length > 0 ? exact : alike;
  return meant.length === 0 ? [undefined] : meant.flatMap(([, member]) => walk(member, rest));
}

/** A list counts as its elements. */
function asValues(value: unknown): readonly unknown[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((one) => one !== undefined && one !== null);
}
