import type { AggregatePage } from '@freehold/contract/app/records';
import type { Read } from '@freehold/contract/schema';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { type Actor, callApp } from '../../../api/app.ts';
import { ApiProblem } from '../../../api/problem.ts';
import { pathOf, recordsKey } from '../../record/record-queries.ts';
import { choosingParameters, type ListSearch } from '../list/list-search.ts';
import { recordTitle } from '../record-title.ts';
import type { List } from '../use-list.ts';
import { readGrouping } from './groups.ts';
import { type Figure, memberOf } from './measures.ts';

export type GroupPage = Read<typeof AggregatePage>;

/** Everything that was worked out of the records of an entity begins with this key. */
export const figuresKey = ({ actor, entity }: Pick<List, 'actor' | 'entity'>) =>
  [...recordsKey(actor, entity.entityName), 'figures'] as const;

type Query = Readonly<Record<string, unknown>>;

async function aggregate({ actor, entity }: List, query: Query, signal: AbortSignal): Promise<GroupPage> {
  const { body } = await callApp(actor, 'GET', pathOf('aggregate', entity.entityName), { query, signal });
  return body as GroupPage;
}

export interface Totals extends Pick<GroupPage, 'partial_reason' | 'notes'> {
  readonly values: Readonly<Record<string, string | number | boolean | null>>;
  /** The fields that the caller may not read in every record, so that there is no total of them. */
  readonly unreadable: ReadonlySet<string>;
}

/** All totals of a list in one call. */
export const totalsQuery = (list: List, chosen: ReadonlyMap<string, Figure>) => {
  const choosing = choosingParameters(list.search);
  const terms = [...chosen];
  return queryOptions({
    queryKey: [...figuresKey(list), 'totals', choosing, terms],
    queryFn: async ({ signal }): Promise<Totals> => {
      const ask = async (unreadable: ReadonlySet<string>): Promise<Totals> => {
        const figures = terms
          .filter(([field]) => !unreadable.has(field))
          .map(([field, figure]) => `${figure}:${field}`);
        const page = await aggregate(list, { ...choosing, $measure: ['count', ...figures].join() }, signal);
        const { items, partial_reason, notes } = page;
        return {
          values: items[0]?.values ?? { count: 0 },
          unreadable,
          ...(partial_reason === undefined ? {} : { partial_reason }),
          ...(notes === undefined ? {} : { notes }),
        };
      };
      try {
        return await ask(new Set());
      } catch (error) {
        const refused = unreadableIn(error);
        const unreadable = new Set(terms.map(([field]) => field).filter((field) => refused.includes(`\`${field}\``)));
        if (unreadable.size === 0) throw error;
        return await ask(unreadable);
      }
    },
  });
};

/** The sentences that name fields which the caller may not read in every record. */
function unreadableIn(error: unknown): string {
  if (!(error instanceof ApiProblem)) return '';
  const refused = error.errors.filter(({ code }) => code === 'not_readable');
  // The parameter has ticks too, before the field.
  return refused.map(({ message }) => message.replace(/^`[^`]*`/, '')).join();
}

const groupsOfPage = { inTime: 1_000, byValue: 50 } as const;

/** The groups of a list that a chart shows: parts of time in their order, others by their figure, the greatest first. */
export const groupsQuery = (list: List, { g = '', m = 'count' }: Pick<ListSearch, 'g' | 'm'>) => {
  const choosing = choosingParameters(list.search);
  const isInTime = readGrouping(g).unit !== undefined;
  const measures = m === 'count' ? 'count' : `${m},count`;
  const order = isInTime
    ? { $pagesize: groupsOfPage.inTime }
    : { $pagesize: groupsOfPage.byValue, $sortby: `${memberOf(m)},${memberOf(g)}`, $sortdir: 'desc,asc' };
  return infiniteQueryOptions({
    queryKey: [...figuresKey(list), 'groups', choosing, g, m],
    queryFn: ({ pageParam, signal }) =>
      aggregate(list, { ...choosing, $group: g, $measure: measures, ...order, $nexttoken: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nexttoken }) => nexttoken ?? undefined,
  });
};

const idsMax = 100;

/** What records are called that groups are of, by their ids. Those that the caller may not list have no name. */
export const namesQuery = (actor: Actor, entity: string, ids: readonly string[]) => {
  const named = ids.slice(0, idsMax);
  return queryOptions({
    queryKey: [...recordsKey(actor, entity), 'names', named],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, string>> => {
      const query = { id: named.join(), id_op: 'in', $pagesize: idsMax };
      const { body } = await callApp(actor, 'GET', pathOf('list', entity), { query, signal });
      const { items } = body as { readonly items: readonly Readonly<Record<string, unknown>>[] };
      return new Map(items.map((record) => [String(record.id), recordTitle(record)]));
    },
    enabled: named.length > 0,
    retry: false,
  });
};
