import type { AccessContext, Pending } from './context.ts';
import { foldAscii } from './glob.ts';
import type { Mistake } from './mistake.ts';

/** A name by which a condition or a variable asks for something of the context. */
export interface ContextKey {
  readonly text: string;
  /** What it asks for is not known while this is pending. */
  readonly needs: Pending | undefined;
  /** The field, where the key asks for a field of the record and for nothing within it. */
  readonly recordField: string | undefined;
  /** `undefined` where the context has no such thing. The time is a `Date`. */
  read(context: AccessContext): unknown;
}

export function isPending({ needs }: ContextKey, context: AccessContext): boolean {
  return needs !== undefined && context.pending?.includes(needs) === true;
}

/** Names of keys ignore ASCII case; below names that others gave, a name that is equal goes before one that is alike. */
export function parseContextKey(text: string): ContextKey | Mistake {
  if (text.length > keyLengthMax) return ['too_long', `has more than ${keyLengthMax} characters`];
  if (text.includes('$' + '{')) return ['invalid_value', 'contains a variable, and a key takes none'];
  const [root = '', ...path] = text.split('.');
  const found = keyUnder(foldAscii(root), path);
  if (found === 'role')
    return ['invalid_value', 'is not asked for: the role is a label, and no decision may depend on it'];
  if (found === undefined) return ['invalid_value', 'is no key of the context'];
  return { text, needs: undefined, recordField: undefined, ...found };
}

const keyLengthMax = 256;

type KeyMeaning = Pick<ContextKey, 'read'> & Partial<Pick<ContextKey, 'needs' | 'recordField'>>;

function keyUnder(root: string, path: readonly string[]): KeyMeaning | 'role' | undefined {
  const [first = ''] = path;
  switch (root) {
    case 'request':
      return requestKey(foldAscii(first), path.slice(1));
    case 'user':
      return isOneOf(path, ['id', 'email']) ? walking(({ user }) => user, path) : undefined;
    case 'tenant':
      return isOneOf(path, ['id', 'code']) ? walking(({ tenant }) => tenant, path) : undefined;
    case 'jwt':
      if (foldAscii(first) === 'role') return 'role';
      return isPath(path) ? walking(({ jwt }) => jwt, path) : undefined;
    case 'record':
      if (!isPath(path)) return undefined;
      return {
        ...walking(({ record }) => record, path),
        needs: 'record',
        recordField: path.length === 1 ? first : undefined,
      };
    default:
      return undefined;
  }
}

function requestKey(name: string, path: readonly string[]): KeyMeaning | undefined {
  switch (name) {
    case 'pathparameters': {
      if (!isOneOf(path, ['id', 'entity'])) return undefined;
      const isOfId = foldAscii(path[0] ?? '') === 'id';
      return { ...walking(({ request }) => request.pathParameters, path), ...(isOfId ? { needs: 'id' } : {}) };
    }
    case 'queryparameters': {
      const parameter = path.join('.');
      return parameter === '' ? undefined : { read: queryReader(parameter) };
    }
    case 'body':
      return isPath(path) ? { ...walking(({ request }) => request.body, path), needs: 'body' } : undefined;
    default:
      return path.length === 0 ? plainRequestKeys.get(name) : undefined;
  }
}

const plainRequestKeys: ReadonlyMap<string, KeyMeaning> = new Map<string, KeyMeaning>([
  ['method', { read: ({ request }) => request.method }],
  ['path', { read: ({ request }) => request.path, needs: 'id' }],
  ['ip', { read: ({ request }) => request.ip }],
  ['time', { read: ({ request }) => new Date(request.time) }],
  ['origin', { read: ({ request }) => request.origin }],
]);

function isOneOf(path: readonly string[], names: readonly string[]): boolean {
  return path.length === 1 && names.includes(foldAscii(path[0] ?? ''));
}

function isPath(names: readonly string[]): boolean {
  return names.length > 0 && !names.includes('');
}

function walking(start: (context: AccessContext) => unknown, path: readonly string[]): KeyMeaning {
  const steps = path.map((name) => ({ name, folded: foldAscii(name) }));
  return {
    read: (context) => {
      let value = start(context);
      for (const step of steps) value = memberOf(value, step);
      return value;
    },
  };
}

interface Step {
  readonly name: string;
  readonly folded: string;
}

/** The object's own member of that name, else the only one whose name is alike but for ASCII case. */
function memberOf(value: unknown, { name, folded }: Step): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  if (Object.hasOwn(value, name)) return Reflect.get(value, name);
  const alike = Object.keys(value).filter((other) => isAlike(other, folded));
  return alike.length === 1 ? Reflect.get(value, alike[0] ?? '') : undefined;
}

function queryReader(name: string): ContextKey['read'] {
  const folded = foldAscii(name);
  return ({ request: { queryParameters } }) => {
    const exact = queryParameters.get(name);
    if (exact !== undefined) return exact;
    const alike = [...queryParameters].filter(([other]) => isAlike(other, folded));
    return alike.length === 1 ? alike[0]?.[1] : undefined;
  };
}

function isAlike(name: string, folded: string): boolean {
  return name.length === folded.length && foldAscii(name) === folded;
}
