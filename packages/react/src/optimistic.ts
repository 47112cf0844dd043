import type { Page } from '@freehold/client';
import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query';
import { readEntityKey } from './record-keys.ts';
import type { Shown } from './register.ts';
import type { Scope } from './scope.ts';

interface Change {
  readonly entity: string;
  readonly id: string;
  readonly changes: object;
}

export type EndChange = (isRefused: boolean) => void;

type Values = Record<string, unknown>;

/** A change that has no answer yet. */
interface ShownChange extends Change {
  /** By the hash of a query, the record as it was there. */
  readonly before: Map<string, { readonly version: unknown; readonly values: Values }>;
}

/** In the order in which they were shown. */
const shownChanges = new WeakMap<QueryClient, Set<ShownChange>>();

/**
 * Shows changes of a record in what the cache holds of it. Which records a list has, and in which order, stays as it is
 * until the list is read again. @returns what ends that; a refused change is taken back, and no other change with it
 */
export async function showBeforehand(queryClient: QueryClient, scope: Scope, change: Change): Promise<EndChange> {
  const isOfEntity = ({ queryKey }: Pick<Query, 'queryKey'>) =>
    readEntityKey(queryKey, scope)?.entity === change.entity;
  const map = ({ queryKey }: Query, work: (record: Values) => Values): void => {
    const kind = readEntityKey(queryKey, scope)?.kind ?? '';
    const ofRecord = (record: unknown) => ((record as Shown).id === change.id ? work(record as Values) : record);
    queryClient.setQueryData(queryKey, (data: unknown) => (data === undefined ? data : mapped(kind, data, ofRecord)));
  };
  // An answer that is on its way was made before the change, and would undo it.
  await queryClient.cancelQueries({ predicate: isOfEntity });
  const shown: ShownChange = { ...change, before: new Map() };
  const all = shownChanges.get(queryClient) ?? new Set();
  shownChanges.set(queryClient, all.add(shown));
  for (const query of queryClient.getQueryCache().findAll({ predicate: isOfEntity }))
    map(query, (record) => {
      const values = Object.entries(record).filter(([field]) => field in change.changes);
      shown.before.set(query.queryHash, { version: record.version, values: Object.fromEntries(values) });
      return { ...record, ...change.changes };
    });
  return (isRefused) => {
    const later = [...all].slice([...all].indexOf(shown) + 1);
    all.delete(shown);
    if (!isRefused) return;
    for (const query of queryClient.getQueryCache().findAll({ predicate: isOfEntity })) {
      const open = fieldsToTakeBack(shown, later, query.queryHash);
      if (open.length > 0) map(query, (record) => takenBack(record, shown, { open, hash: query.queryHash }));
    }
  };
}

/** The fields that no later change shows; a later change of a field gets the state before this one as its own. */
function fieldsToTakeBack({ id, entity, changes, before }: ShownChange, later: readonly ShownChange[], hash: string) {
  const was = before.get(hash);
  if (was === undefined) return [];
  return Object.keys(changes).filter((field) => {
    const next = later.find((other) => other.id === id && other.entity === entity && field in other.changes);
    const state = next?.before.get(hash);
    if (state === undefined) return true;
    // Else the record was read between the two changes.
    const isThis = state.version === was.version && isSame(state.values[field], (changes as Values)[field]);
    if (isThis) copyField(was.values, state.values, field);
    return false;
  });
}

/** A record that has been read since is left as it is, by its version or by the values that it has. */
function takenBack(
  record: Values,
  { changes, before }: ShownChange,
  { open, hash }: { readonly open: readonly string[]; readonly hash: string },
): Values {
  const was = before.get(hash);
  if (was === undefined || was.version !== record.version) return record;
  const restored = { ...record };
  for (const field of open)
    if (isSame(record[field], (changes as Values)[field])) copyField(was.values, restored, field);
  return restored;
}

function copyField(from: Values, to: Values, field: string): void {
  if (field in from) to[field] = from[field];
  else delete to[field];
}

function isSame(one: unknown, other: unknown): boolean {
  return Object.is(one, other) || JSON.stringify(one) === JSON.stringify(other);
}

function mapped(kind: string, data: unknown, ofRecord: (record: unknown) => unknown): unknown {
  if (kind === 'record') return ofRecord(data);
  const ofPage = (page: Page<unknown>) => ({ ...page, items: page.items.map(ofRecord) });
  if (kind === 'list') return ofPage(data as Page<unknown>);
  if (kind !== 'pages') return data;
  const infinite = data as InfiniteData<Page<unknown>>;
  return { ...infinite, pages: infinite.pages.map(ofPage) };
}
