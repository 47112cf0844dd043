import type { runsApi } from '@freehold/contract/management/runs';
import type { ReplyOf } from '@freehold/contract/route';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Environment } from '../../api/session.ts';
import { keyOfKind } from '../../components/item-versions.tsx';

export type ListedBlock = ReplyOf<typeof runsApi.listLogicBlocks>['items'][number];

export type BlockTest = ReplyOf<typeof runsApi.testLogicBlock>;

const pagesize = 50;

/** Known as the other queries of logic blocks are, so that each change reads it again. */
export const blocksQuery = (env: Environment, q: string) =>
  infiniteQueryOptions({
    queryKey: [keyOfKind('logicblock'), 'blocks', env, q],
    queryFn: ({ pageParam, signal }) =>
      call('listLogicBlocks', { query: { env, q, pagesize, nexttoken: pageParam }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ nexttoken }) => nexttoken,
  });
