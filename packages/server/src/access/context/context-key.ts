import { foldAscii } from '../../lib/fold-ascii.ts';
import { type Effort, spend } from '../effort.ts';
import type { StatementMistake } from '../mistakes.ts';
import { type AccessContext, filterParameters, namesAround, type Pending, type RecordState } from './context.ts';
import { AlikeMembers, isAlike, placesOf, readPath, stepsOf, unknownValue } from './member-path.ts';

/** A name by which a condition or a variable asks for something of the context. */
export interface ContextKey {
  readonly text: string;
  /** The value of the key is not known while any of these is pending. */
  readonly needs: readonly Pending[];
  /** The state of the record, where the key names one. */
  readonly state: RecordState | undefined;
  /** The field, where the key asks for a field of the record and for nothing within it. */
  readonly recordField: string | undefined;
  /** The name that the key has for a field, where it asks for one, or for something within it: one of these. */
  fieldNames(context: AccessContext): readonly string[];
  /** `undefined` where the context has no such thing, `AlikeMembers` where it has several. The time is a `Date`. */
  read(context: AccessContext, effort: Effort): unknown;
  /** The paths it leads to, in the context's names: several where these differ in ASCII case. */
  spellings(context: AccessContext, effort: Effort): readonly string[];
}

export function isPending({ needs, text }: ContextKey, { pending, kept }: AccessContext): boolean {
  if (kept !== undefined) return kept.isUnknown(text);
  return pending !== undefined && needs.some((need) => pending.includes(need));
}

/**
 * Names of keys ignore ASCII case. A key leads to all members whose names differ in nothing else, also where one of
 * them is spelled as the key is: it is unknown which of them a reader of the object uses. A field of the record goes
 * before others that are alike, since the definition names the fields.
 */
export function parseContextKey(text: string): ContextKey | StatementMistake {
  if (text.length > keyLengthMax) return ['too_long', `has more than ${keyLengthMax} characters`];
  if (text.includes('$' + '{')) return ['invalid_value', 'contains a variable, which a key cannot have'];
  const [root = '', ...path] = text.split('.');
  const found = keyUnder(foldAscii(root), path);
  if (found === 'role')
    return ['invalid_value', 'is not a condition key: the role is a label, and no decision may depend on it'];
  if (found === undefined) return ['invalid_value', 'is not a condition key'];
  const key = { ...plainKey, text, ...found };
  const read: ContextKey['read'] = (context, effort) => {
    const kept = context.kept?.find(text);
    return kept === undefined ? found.read(context, effort) : kept.value;
  };
  return { ...key, read };
}

export const keyLengthMax = 256;

const userKeys = ['id', 'email'];
const tenantKeys = ['id', 'code'];
const pathParameters = ['id', 'entity'];

/**
 * The names that `parseContextKey` reads, but for the role, as the source of a regular expression without anchors.
 * @param character any one, and `part` any one but the point between names, as sources.
 */
export function contextKeyPattern({ character, part }: { readonly character: string; readonly part: string }): string {
  const path = `${part}+(?:\\.${part}+)*`;
  const among = (names: readonly string[]): string => `(?:${names.map(inAnyCase).join('|')})`;
  const ofRequest = [
    ...[...plainRequestKeys.keys()].map(inAnyCase),
    `${inAnyCase('pathparameters')}\\.${among(pathParameters)}`,
    `${inAnyCase('queryparameters')}\\.${character}+`,
    `${inAnyCase('body')}\\.${path}`,
  ];
  const keys = [
    `${inAnyCase('request')}\\.(?:${ofRequest.join('|')})`,
    `${inAnyCase('user')}\\.${among(userKeys)}`,
    `${inAnyCase('tenant')}\\.${among(tenantKeys)}`,
    `(?:${inAnyCase('jwt')}|${inAnyCase('record')})\\.${path}`,
  ];
  return `(?:${keys.join('|')})`;
}

/** A source that matches a word in any case of its ASCII letters, which are lower-case in it. */
export function inAnyCase(word: string): string {
  return word.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

const plainKey = {
  needs: [],
  state: undefined,
  recordField: undefined,
  fieldNames: () => [],
  spellings: () => [],
} as const;

type KeyMeaning = Pick<ContextKey, 'read'> & Partial<ContextKey>;

function keyUnder(root: string, path: readonly string[]): KeyMeaning | 'role' | undefined {
  const [first = ''] = path;
  switch (root) {
    case 'request':
      return requestKey(foldAscii(first), path.slice(1));
    case 'user':
      return isOneOf(path, userKeys) ? walking(({ user }) => user, path, 'given') : undefined;
    case 'tenant':
      return isOneOf(path, tenantKeys) ? walking(({ tenant }) => tenant, path, 'given') : undefined;
    case 'jwt':
      if (foldAscii(first) === 'role') return 'role';
      return isPath(path) ? walking(({ jwt }) => jwt, path) : undefined;
    case 'record':
      return isPath(path) ? recordKey(foldAscii(first), path) : undefined;
    default:
      return undefined;
  }
}

function recordKey(first: string, path: readonly string[]): KeyMeaning {
  const ofRecord = walking(({ record }) => record, path, 'fields');
  const [name] = path;
  const fieldNames = (): readonly string[] => path.slice(0, 1);
  if (path.length === 1) return { ...ofRecord, needs: ['record'], recordField: name, fieldNames };
  if (first !== 'before' && first !== 'after') return { ...ofRecord, needs: ['record'], fieldNames };
  const ofState = walking((context) => context[first], path.slice(1), 'fields');
  // If the request has no such state, it is a field of the record, or nothing.
  const meaning = (context: AccessContext) => (context[first] === undefined ? ofRecord : ofState);
  return {
    state: first,
    needs: first === 'after' ? ['record', 'after'] : ['record'],
    read: (context, effort) => meaning(context).read(context, effort),
    fieldNames: (context) => (context[first] === undefined ? path.slice(0, 2) : path.slice(1, 2)),
    spellings: (context, effort) => {
      const names = meaning(context).spellings(context, effort);
      return context[first] === undefined ? names : names.map((rest) => `${first}.${rest}`);
    },
  };
}

function requestKey(name: string, path: readonly string[]): KeyMeaning | undefined {
  switch (name) {
    case 'pathparameters': {
      if (!isOneOf(path, pathParameters)) return undefined;
      const isOfId = foldAscii(path[0] ?? '') === 'id';
      return {
        ...walking(({ request }) => request.pathParameters, path, 'given'),
        ...(isOfId ? { needs: ['id'] } : {}),
      };
    }
    case 'queryparameters': {
      const parameter = path.join('.');
      return parameter === '' ? undefined : ofQuery(parameter);
    }
    case 'body':
      return isPath(path)
        ? {
            ...walking(({ request }) => request.body, path, 'sent fields'),
            needs: ['body'],
            fieldNames: () => path.slice(0, 1),
          }
        : undefined;
    default:
      return path.length === 0 ? plainRequestKeys.get(name) : undefined;
  }
}

const plainRequestKeys: ReadonlyMap<string, KeyMeaning> = new Map<string, KeyMeaning>([
  ['method', { read: ({ request }) => request.method }],
  ['path', { read: ({ request }) => request.path, needs: ['id'] }],
  ['ip', { read: ({ request }) => request.ip ?? unknownValue }],
  ['time', { read: ({ request }) => new Date(request.time) }],
  ['origin', { read: ({ request }) => request.origin }],
]);

function isOneOf(path: readonly string[], names: readonly string[]): boolean {
  return path.length === 1 && names.includes(foldAscii(path[0] ?? ''));
}

function isPath(names: readonly string[]): boolean {
  return names.length > 0 && !names.includes('');
}

/**
 * The members of the start of a path. `given`: they are called as the platform says, and not chosen by the
 * sender or author. `fields`: they are called as the definition says. `sent fields`: its sender chose them among names
 * that the definition has.
 */
type StartMembers = 'any' | 'given' | 'fields' | 'sent fields';

function walking(
  start: (context: AccessContext) => unknown,
  path: readonly string[],
  members: StartMembers = 'any',
): Pick<ContextKey, 'read' | 'spellings'> {
  const steps = stepsOf(path, { isFirstGiven: members === 'given' || members === 'fields' });
  const areFields = members === 'fields' || members === 'sent fields';
  return {
    read: areFields
      ? (context, effort) => readPath(start(context), steps, effort, context.naming)
      : (context, effort) => readPath(start(context), steps, effort),
    spellings: (context, effort) => {
      const places = placesOf(start(context), steps, effort, areFields ? context.naming : undefined);
      return places.map(({ names }) => names.join('.'));
    },
  };
}

function ofQuery(name: string): Pick<ContextKey, 'read' | 'spellings' | 'fieldNames'> {
  const folded = foldAscii(name);
  const namesAlike = ({ request, naming }: AccessContext, effort: Effort): readonly string[] => {
    const { queryParameters } = request;
    if (!spend(effort, (queryParameters.size + namesAround(naming, folded)) * stepsOfParameter)) return [];
    const names = [...queryParameters.keys()];
    if (naming !== undefined) return filterParameters(naming, names, folded);
    return names.filter((other) => isAlike(other, folded));
  };
  return {
    spellings: namesAlike,
    fieldNames: () => [name.replace(/_op$/i, '')],
    read: (context, effort) => {
      const { queryParameters } = context.request;
      const values = namesAlike(context, effort).map((other) => queryParameters.get(other));
      return values.length > 1 ? new AlikeMembers(values) : values[0];
    },
  };
}

const stepsOfParameter = 8;
