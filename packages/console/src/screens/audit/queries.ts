import type { auditApi } from '@freehold/contract/management/audit';
import type { ReplyOf } from '@freehold/contract/route';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { type AuditSearch, queryOf } from './audit-search.ts';

export type Chain = ReplyOf<typeof auditApi.listAuditChains>['items'][number];

const auditKey = 'audit';

/** The entries of the org, or about one of its workspaces, the latest first. */
export const entriesQuery = (search: AuditSearch, workspace: string | undefined) =>
  infiniteQueryOptions({
    queryKey: [auditKey, 'entries', search, workspace],
    queryFn: ({ pageParam, signal }) =>
      call('listAuditEntries', {
        query: { ...queryOf(search), tenant_code: workspace, nexttoken: pageParam },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ nexttoken }) => nexttoken ?? undefined,
    placeholderData: keepPreviousData,
  });

export const chainsQuery = (workspace: string | undefined) =>
  queryOptions({
    queryKey: [auditKey, 'chains', workspace],
    queryFn: ({ signal }) => call('listAuditChains', { query: { tenant_code: workspace }, signal }),
  });
