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

/** Whether the value behind the key is not known: it may be anything, or nothing. */
export function isUnknown(key: string, { request }: AccessContext): boolean {
  return inSmallLetters(key) === 'request.ip' && request.ip === undefined;
}

/** The values behind a key that may be asked for; none when it is missing. `request.time` is a `Date`. */
export function valuesOf(key: string, context: AccessContext): readonly unknown[] {
  return readingsOf(key, context).flat();
}

/** The readings of the key: the values of each member that it leads to, one unless some names differ in case alone. */
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
      if (state !== undefined) return walkRecord(state, rest, context);
      return walkRecord(context.record, [name, ...rest], context);
    }
    default:
      return ofRequest(context, inSmallLetters(name), rest);
  }
}

/** A write has a record before it, after it, or both; anything else under these names is a field. */
function stateCalled(name: string, { before, after }: AccessContext): AccessContext['record'] {
  return name === 'before' ? before : name === 'after' ? after : undefined;
}

function ofRequest(context: AccessContext, name: string, rest: readonly string[]): readonly unknown[] {
  const { request } = context;
  if (name === 'time') return [new Date(request.time)];
  if (name === 'body') return walkBody(request.body, rest, context);
  if (name === 'pathparameters') return walk(request.pathParameters, rest);
  if (name === 'queryparameters') return parametersCalled(rest.join('.'), context);
  return walk(request, [name]);
}

/** The names of the field that is called so. */
function namesOfField(name: string, { naming }: AccessContext): readonly string[] | undefined {
  return naming?.byName.get(name);
}

/** A field may be called by any of its names. Where it has no value, what is called so but for case may be meant too. */
function walkRecord(
  record: unknown,
  [name = '', ...rest]: readonly string[],
  context: AccessContext,
): readonly unknown[] {
  const names = namesOfField(name, context);
  if (context.naming === undefined || !isObject(record)) return walk(record, [name, ...rest], 'fields');
  const present = names?.[0] ?? name;
  const members = Object.entries(record);
  const exact = members.filter(([other]) => other === present);
  if (exact.length > 0) return exact.flatMap(([, member]) => walk(member, rest));
  const wanted = (names ?? [name]).map(inSmallLetters);
  const alike = members.filter(([other]) => {
    const others = namesOfField(other, context);
    const own = others?.[0] === other ? others : [other];
    return own.some((one) => wanted.includes(inSmallLetters(one)));
  });
  if (alike.length === 0) return [undefined];
  const found = alike.flatMap(([, member]) => walk(member, rest));
  return names === undefined ? found : [undefined, ...found];
}

/** A sender may call a field by any of its names, and in any case. */
function isMeant(sent: string, query: string, context: AccessContext): boolean {
  if (inSmallLetters(sent) === inSmallLetters(query)) return true;
  const has = (names: readonly string[], name: string) =>
    names.some((one) => inSmallLetters(one) === inSmallLetters(name));
  const own = namesOfField(sent, context);
  if (own !== undefined) return has(own, query);
  return [...(context.naming?.byName.values() ?? [])].some((names) => has(names, sent) && has(names, query));
}

function walkBody(body: unknown, [name = '', ...rest]: readonly string[], context: AccessContext): readonly unknown[] {
  if (!isObject(body)) return [undefined];
  const meant = Object.entries(body).filter(([sent]) => isMeant(sent, name, context));
  return meant.length === 0 ? [undefined] : meant.flatMap(([, member]) => walk(member, rest));
}

/** A field is asked for by its name, and how by its name and `_op`. */
function parametersCalled(query: string, context: AccessContext): readonly unknown[] {
  const field = (name: string) => (inSmallLetters(name).endsWith('_op') ? name.slice(0, -3) : undefined);
  const meant = [...context.request.queryParameters].filter(([sent]) => {
    const [left, right] = [field(sent), field(query)];
    if (left === undefined || right === undefined) return left === right && isMeant(sent, query, context);
    return isMeant(left, right, context);
  });
  return meant.length === 0 ? [undefined] : meant.map(([, value]) => value);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
