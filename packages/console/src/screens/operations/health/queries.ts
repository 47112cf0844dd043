import type { platformHealthApi } from '@freehold/contract/management/operator/health';
import type { ReplyOf } from '@freehold/contract/route';
import { queryOptions } from '@tanstack/react-query';
import { operate } from '../operate.ts';

export type Health = ReplyOf<typeof platformHealthApi.readPlatformHealth>;
export type Node = Health['nodes'][number];
export type Store = Health['stores'][number];
export type Server = Health['servers'][number];
export type Queue = Health['queues'][number];
export type Job = Health['jobs'][number];
export type Lease = Health['leases'][number];

export const refreshSeconds = 10;

export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: ({ signal }) => operate('readPlatformHealth', { signal }),
  refetchInterval: refreshSeconds * 1000,
});
