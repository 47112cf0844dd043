import type { QueryClient, QueryKey } from '@tanstack/react-query';

import { isOfScope, type Scope } from './scope.ts';

type Kind = 'list' | 'pages' | 'record' | 'count' | 'can';

/** The key of what is read of an entity. */
export function entityKey(scope: Scope, entity: string, kind: Kind, detail: object): QueryKey {
  return [...scope, 'entity', entity, kind, hashable(detail)];
}

/**
 * A hash leaves `undefined` out. A query that is refused for a condition without a value would show what the cache holds
 * of all records, so its key has `null` there.
 */
function hashable(detail: object): object {
  const { query } = detail as { readonly query?: Reads };
  if (query === undefined) return detail;
  const where = Object.entries(query.where ?? {}).map(([field, condition]) => [field, condition ?? null]);
  const conditions = {
    ...('owner' in query && { owner: query.owner ?? null }),
    ...(query.where !== undefined && { where: Object.fromEntries(where) }),
  };
  return { ...detail, query: { ...query, ...conditions } };
}

interface EntityKey {
  readonly entity: string;
  readonly kind: Kind;
  readonly detail: unknown;
}

/** The parts of a key of {@link entityKey} in the scope; undefined for any other key. */
export function readEntityKey(key: QueryKey, scope: Scope): EntityKey | undefined {
  if (!isOfScope(key, scope) || key[scope.length] !== 'entity') return undefined;
  const [entity, kind, detail] = key.slice(scope.length + 1);
  return { entity: entity as string, kind: kind as Kind, detail };
}

export interface Write {
  readonly entity: string;
  readonly isDelete: boolean;
}

/** Has what a write may have changed read again. */
export async function invalidate(queryClient: QueryClient, scope: Scope, write: Write): Promise<void> {
  await queryClient.invalidateQueries({
    predicate: ({ queryKey }) => {
      const key = readEntityKey(queryKey, scope);
      return key !== undefined && isTouched(key, write);
    },
  });
}

/**
 * A delete may take records of any entity along, by `onDelete` of their lookups. A create or update changes reads of its
 * own entity, and those that show, compare or sort by related records.
 */
function isTouched({ entity, detail }: EntityKey, write: Write): boolean {
  return write.isDelete || entity === write.entity || readsOthers(detail);
}

interface Reads {
  readonly expand?: readonly string[];
  readonly view?: string;
  readonly filter?: string;
  readonly sort?: string | readonly string[];
  readonly where?: object;
  readonly owner?: string;
}

function readsOthers(detail: unknown): boolean {
  const { expand = [], view, filter, sort = [], where = {} } = (detail as { readonly query?: Reads }).query ?? {};
  const names = [...[sort].flat(), ...Object.keys(where)];
  return expand.length > 0 || view !== undefined || filter !== undefined || names.some((name) => name.includes('.'));
}
