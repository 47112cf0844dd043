import type { Observability } from '@freehold/contract/management/usage';
import type { Read } from '@freehold/contract/schema';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';

export type Usage = Read<typeof Observability>;
export type Explained = NonNullable<Usage['explain']>;

/** What the API can break down. */
export const figures = [
  'api_calls.today',
  'api_calls.month',
  'records.total',
  'runs.today',
  'deliveries.today',
  'script_ms.today',
  'mails.today',
] as const;

export type SummedFigure = (typeof figures)[number];

/** What is counted of the configuration of an environment or a workspace. */
export const capFigures = ['entities', 'indexes', 'policies'] as const;

export type CapFigure = (typeof capFigures)[number];
export type ExplainedFigure = SummedFigure | CapFigure;

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
