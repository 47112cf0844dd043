import type { AccessContext } from '../context.ts';
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
  const [root = '', name = '', ...rest] = key.split('.');
  switch (inSmallLetters(root)) {
    case 'user':
      return asValues(walk(context.user, [name]));
    case 'tenant':
      return asValues(walk(context.tenant, [name]));
    case 'jwt':
      return asValues(walk(context.jwt, [name, ...rest]));
    case 'record':
      return asValues(walk(context.record, [name, ...rest]));
    default:
      return asValues(ofRequest(context.request, inSmallLetters(name), rest));
  }
}

function ofRequest(request: AccessContext['request'], name: string, rest: readonly string[]): unknown {
  if (name === 'time') return new Date(request.time);
  if (name === 'body') return walk(request.body, rest);
  if (name === 'pathparameters') return walk(request.pathParameters, rest);
  if (name === 'queryparameters') return walk(Object.fromEntries(request.queryParameters), [rest.join('.')]);
  return walk(request, [name]);
}

function isPath(names: readonly string[]): boolean {
  return names.length > 0 && !names.includes('');
}

/** Follows the names into objects: by the member so called, else by the only one that is called so but for case. */
function walk(start: unknown, names: readonly string[]): unknown {
  let value = start;
  for (const name of names) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const members: readonly (readonly [string, unknown])[] = Object.entries(value);
    const exact = members.filter(([other]) => other === name);
    const alike = members.filter(([other]) => inSmallLetters(other) === inSmallLetters(name));
    const [found, ...more] = exact.length > 0 ? exact : alike;
    value = more.length === 0 ? found?.[1] : undefined;
  }
  return value;
}

function asValues(value: unknown): readonly unknown[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((one) => one !== undefined && one !== null);
}
