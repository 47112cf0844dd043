import type { Job as JobSchema } from '@freehold/contract/app/jobs';
import type { RecordCount } from '@freehold/contract/app/records';
import type { Read } from '@freehold/contract/schema';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { type Actor, callApp } from '../../api/app.ts';
import { definitionOf, type Field } from '../entities/definition.ts';
import type { Entity } from '../entities/queries.ts';
import type { PartialReason } from '../records/figures/part-words.ts';
import { recordTitle } from '../records/record-title.ts';
import { controlOf, type RecordValues } from './form/inputs.ts';

export type Job = Read<typeof JobSchema>;

export interface StoredRecord {
  readonly record: RecordValues;
  /** What `If-Match` is sent with; undefined if the view shows no version. */
  readonly tag: string | undefined;
  /** The names of the records that its lookups lead to, by their ids. */
  readonly names: ReadonlyMap<string, string>;
}

/** Everything that is known of the records of an entity as the actor sees them begins with this key. */
export const recordsKey = (actor: Actor, entity: string) => ['records', actor, entity] as const;

export const pathOf = (route: string, entity: string, id?: string): `/${string}` =>
  `/${route}/${encodeURIComponent(entity)}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`;

/** The tag of a record without the shape of a reply, which `If-Match` ignores. */
export function tagOf(record: RecordValues): string | undefined {
  return typeof record.version === 'number' ? `"${record.version}"` : undefined;
}

/** The number of names that an `expand` takes. */
export const expandNamesMax = 10;

/** The fields of the definition that a create config holds. */
export const fieldsOf = (create: unknown): readonly Field[] => definitionOf(create).UpdateParams ?? [];

/** The fields that the view of a single record does not show as they are stored, and that a form cannot know the values of. */
export function unseenFields({ create, get }: Pick<Entity, 'create' | 'get'>): ReadonlySet<string> {
  const views = get.Views as Readonly<Record<string, { readonly fields?: readonly Shown[] } | undefined>> | undefined;
  const shown = views?.default?.fields;
  if (shown === undefined) return new Set();
  const plain = shown.filter(
    ({ name, as = name, cast, lookup }) => as === name && cast === undefined && lookup === undefined,
  );
  const seen = new Set(plain.map(({ name }) => name));
  const unseen = fieldsOf(create).filter((field) => !seen.has(field.name) && controlOf(field) !== 'secret');
  return new Set(unseen.map(({ name }) => name));
}

interface Shown {
  readonly name: string;
  readonly as?: string;
  readonly cast?: string;
  readonly lookup?: unknown;
}

/** The names of the fields that take values; the platform fills the others. */
export function editableFields({ create }: Pick<Entity, 'create'>): ReadonlySet<string> {
  const written = fieldsOf(create).filter((field) => controlOf(field) !== 'computed');
  return new Set(written.map(({ name }) => name));
}

/** A record with the names of those that it refers to. */
export const recordQuery = (actor: Actor, { entityName, create }: Pick<Entity, 'entityName' | 'create'>, id: string) =>
  queryOptions({
    queryKey: [...recordsKey(actor, entityName), 'item', id],
    queryFn: async ({ signal }): Promise<StoredRecord> => {
      const lookups = fieldsOf(create)
        .filter((field) => /^lookups?$/.test(controlOf(field)))
        .map(({ name }) => name);
      const expand = lookups.slice(0, expandNamesMax).join(',');
      const { body } = await callApp(actor, 'GET', pathOf('item', entityName, id), {
        query: { $expand: expand },
        signal,
      });
      const { record, expanded } = parted(body as RecordValues);
      return { record, tag: tagOf(record), names: namesIn(expanded) };
    },
  });

/** A reply without what `expand` added to it. */
function parted(reply: RecordValues): { readonly record: RecordValues; readonly expanded: RecordValues } {
  const member = isObject(reply.$expand) ? '$expand' : 'expand';
  const { [member]: expanded, ...record } = reply;
  return isObject(expanded) ? { record, expanded } : { record: reply, expanded: {} };
}

function namesIn(expanded: RecordValues): ReadonlyMap<string, string> {
  const records = Object.values(expanded).flatMap((one) => (Array.isArray(one) ? one : [one]));
  return new Map(records.filter(isObject).map((record) => [String(record.id), recordTitle(record)]));
}

export function isObject(value: unknown): value is RecordValues {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export interface Page {
  readonly items: readonly RecordValues[];
  readonly nexttoken: string | null;
  readonly partial?: boolean;
  readonly partial_reason?: PartialReason;
}

/** For each name `{entity}_via_{field}` the first page of the records that refer to this one. */
export const relatedQuery = (actor: Actor, entity: string, id: string, names: readonly string[]) =>
  queryOptions({
    queryKey: [...recordsKey(actor, entity), 'related', id, ...names],
    queryFn: async ({ signal }) => {
      const query = { $expand: names.join(','), $fields: 'id' };
      const { body } = await callApp(actor, 'GET', pathOf('item', entity, id), { query, signal });
      return parted(body as RecordValues).expanded as Readonly<Record<string, Page | null | undefined>>;
    },
    enabled: names.length > 0,
  });

/** How many records a list has. */
export const countQuery = (actor: Actor, entity: string, query: Readonly<Record<string, string>>) =>
  queryOptions({
    queryKey: [...recordsKey(actor, entity), 'count', query],
    queryFn: async ({ signal }) => {
      const { body } = await callApp(actor, 'GET', pathOf('count', entity), { query, signal });
      return body as Read<typeof RecordCount>;
    },
  });

/** Pages of a list, from the first or from behind a page that was read elsewhere. */
export const pagesQuery = (
  actor: Actor,
  entity: string,
  query: Readonly<Record<string, string>>,
  from: string | undefined = undefined,
) =>
  infiniteQueryOptions({
    queryKey: [...recordsKey(actor, entity), 'pages', query, from],
    queryFn: async ({ pageParam, signal }) => {
      const { body } = await callApp(actor, 'GET', pathOf('list', entity), {
        query: { $pagesize: 20, ...query, $nexttoken: pageParam },
        signal,
      });
      return body as Page;
    },
    initialPageParam: from,
    getNextPageParam: (page) => page.nexttoken ?? undefined,
  });
