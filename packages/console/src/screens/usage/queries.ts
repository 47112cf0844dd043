import type { Observability } from '@freehold/contract/management/usage';
import type { Read } from '@freehold/contract/schema';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { SummedFigure } from './figures.ts';

export type Usage = Read<typeof Observability>;
export type Explained = NonNullable<Usage['explain']>;

export const usageQuery = (days: number) =>
  queryOptions({
    queryKey: ['usage', days],
    queryFn: ({ signal }) => call('showUsage', { query: { days }, signal }),
    placeholderData: keepPreviousData,
  });

/** The parts of a figure, as they are now: calls go on meanwhile. */
export const explainQuery = (figure: SummedFigure) =>
  queryOptions({
    queryKey: ['usage', 'explain', figure],
    queryFn: async ({ signal }) => (await call('showUsage', { query: { days: 1, explain: figure }, signal })).explain,
  });
