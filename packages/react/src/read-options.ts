import type { QueryKey } from '@tanstack/react-query';
import { isOfScope, type Scope } from './scope.ts';

/** How a hook that reads keeps what it has read. The names are those of TanStack Query. */
export interface ReadOptions {
  readonly enabled?: boolean;
  /** Milliseconds for which an answer is taken as fresh. */
  readonly staleTime?: number;
  /** Milliseconds for which an answer without a reader is kept. */
  readonly gcTime?: number;
  /** Milliseconds from one call to the next. */
  readonly refetchInterval?: number | false;
  readonly refetchOnWindowFocus?: boolean;
  /** Whether the answer to the query before is shown until the next has come. Never that of another user or workspace. */
  readonly keepPrevious?: boolean;
}

/** @param scope one without a user asks nothing: every read needs a session */
export function readOptions(scope: Scope, { enabled = true, keepPrevious = false, ...options }: ReadOptions) {
  return {
    ...options,
    enabled: enabled && scope[scope.length - 1] !== '',
    // The client repeats what is worth it, and waits as long as the platform asks.
    retry: false,
    ...(keepPrevious && { placeholderData: previousOf(scope) }),
  };
}

function previousOf(scope: Scope) {
  return <Data>(data: Data | undefined, query: { readonly queryKey: QueryKey } | undefined): Data | undefined =>
    query !== undefined && isOfScope(query.queryKey, scope) ? data : undefined;
}
