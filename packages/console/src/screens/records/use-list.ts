import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Actor } from '../../api/app.ts';
import type { Entity } from '../entities/queries.ts';
import { keepColumns, keptColumns } from './kept.ts';
import { type Column, chosenColumns, columnsOf } from './list/columns.ts';
import { type ListSearch, queryParameters, shownParameters } from './list/list-search.ts';

export type ListChange = { readonly [N in keyof ListSearch]?: ListSearch[N] | undefined };

/** The list that the address describes, and how it is changed: by changing the address. */
export interface List {
  readonly actor: Actor;
  readonly entity: Entity;
  readonly search: ListSearch;
  readonly all: readonly Column[];
  readonly columns: readonly Column[];
  /** Filters, words and order, as parameters. The same object until they change. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly change: (changed: ListChange) => void;
  /** @param names undefined for the columns that are shown at first. */
  readonly showColumns: (names: readonly string[] | undefined) => void;
}

export function useList(actor: Actor, entity: Entity): List {
  const navigate = useNavigate();
  const search: ListSearch = useSearch({ from: '/o/$org/$env/records/$entity' });
  const of = { org: actor.org, entity: entity.entityName };
  const chosen = search.c ?? keptColumns(of);
  const all = useMemo(() => columnsOf(entity), [entity]);
  const columns = useMemo(() => chosenColumns(all, chosen), [all, chosen]);
  const request = JSON.stringify(queryParameters(search));
  const parameters = useMemo((): Readonly<Record<string, string>> => JSON.parse(request), [request]);
  const change = (changed: ListChange) =>
    void navigate({ to: '.', search: (kept) => ({ ...kept, ...changed }), replace: true });
  const showColumns = (names: readonly string[] | undefined) => {
    keepColumns(of, names?.join(',') ?? '');
    change({ c: names?.join(',') });
  };
  return { actor, entity, search, all, columns, parameters, change, showColumns };
}

/** What the records of the list are read by. The same object until the list is another one. */
export function useReading({ parameters, columns }: List): Readonly<Record<string, string>> {
  return useMemo(() => ({ ...parameters, ...shownParameters(columns) }), [parameters, columns]);
}
