import { queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Actor } from '../../api/app.ts';
import { call } from '../../api/call.ts';
import { isOfRecord } from './list/columns.ts';
import type { List } from './use-list.ts';

/**
 * Who reads a list, and which fields of its first record the policies leave to this user. Not asked for the builder, who may
 * read everything.
 */
function readerQuery({ env, workspace, user }: Actor, entity: string, record: string | undefined) {
  const body = {
    env,
    tenant_code: workspace,
    method: 'GET' as const,
    path: `/list/${entity}`,
    ...(record === undefined ? {} : { record: { id: record } }),
  };
  return queryOptions({
    queryKey: ['reader', env, workspace, user, entity, record],
    queryFn:
      user === undefined
        ? skipToken
        : ({ signal }) => call('simulateAccess', { body: { ...body, user_id: user }, signal }),
  });
}

export interface Reader {
  readonly email: string | undefined;
  /** The names of the columns that a policy hides in the first record. */
  readonly hidden: ReadonlySet<string>;
}

export function useReader({ actor, entity, all }: List, firstRecord: string | undefined): Reader {
  const { data } = useQuery(readerQuery(actor, entity.entityName, firstRecord));
  const fields = data?.fields;
  const hidden = useMemo(() => {
    const ruled = all.filter(({ field, kind }) => fields !== undefined && kind !== 'secret' && !isOfRecord(field));
    return new Set(ruled.filter(({ field }) => fields?.includes(field) !== true).map(({ name }) => name));
  }, [fields, all]);
  return { email: data?.user?.email, hidden };
}
