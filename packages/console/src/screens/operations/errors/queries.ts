import type { platformErrorsApi } from '@freehold/contract/management/operator/errors';
import type { ReplyOf } from '@freehold/contract/route';
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { operate } from '../operate.ts';

export type NodeError = ReplyOf<typeof platformErrorsApi.listErrors>['items'][number];

export const requestIdMax = 128;

export const errorsQuery = (request: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['errors', request],
    queryFn: ({ pageParam, signal }) =>
      operate('listErrors', { query: { request_id: request, pagesize: 50, nexttoken: pageParam }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ nexttoken }) => nexttoken ?? undefined,
    placeholderData: keepPreviousData,
  });
