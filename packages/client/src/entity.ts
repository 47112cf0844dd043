/** The records of one entity. */
import {
  type AggregateQuery,
  type AnyAggregate,
  aggregateQueryOf,
  type GroupPage,
  type GroupTerm,
  type MeasureTerm,
  type ValueField,
} from './aggregates.ts';
import type { Caller, CallOptions } from './caller.ts';
import { type AnyQuery, type CountQuery, type ListQuery, queryOf, type ShowQuery } from './query.ts';
import { objectOf } from './reply.ts';
import type { CreateOf, EntityName, ExpandName, FieldName, Shows, UpdateOf, ViewName } from './schema-types.ts';
import { type IfMatch, ifMatchText, remember } from './tags.ts';

/** The records that have a value; `null` is that of records without one. */
export interface FacetValue {
  readonly value: string | number | boolean | null;
  readonly count: number;
}

export interface Page<R, C extends string = never> {
  readonly items: readonly R[];
  /** The `cursor` of the next page; `null` if this is the last one. */
  readonly nextToken: string | null;
  /** The page ended before it was full, since it had read as much as a page may. */
  readonly partial?: true;
  /** It had looked at as many records as a page may, or it took too long. */
  readonly partialReason?: 'records' | 'time';
  readonly total?: number | { readonly atLeast: number };
  /** Of the first page: the 50 most frequent values of each field, in all records of the list. */
  readonly facets?: { readonly [N in C]: readonly FacetValue[] };
  /** The facets are not whole: there were too many records, the time was over, or a field has too many values to show any. */
  readonly facetsPartial?: 'records' | 'time' | 'values';
}

/** Work that goes on after the reply. */
export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  readonly done: number;
  readonly total: number;
}

export interface WriteOptions<V> extends CallOptions {
  /** The view that the reply shows. */
  readonly view?: V | undefined;
}

export interface CreateOptions<V> extends WriteOptions<V> {
  /** Makes the create count once also if the program calls it again with the same key. */
  readonly idempotencyKey?: string | undefined;
}

export interface ChangeOptions {
  /** Only if the record is still as it was read; else the call fails with a `VersionConflictError`. */
  readonly ifMatch?: IfMatch | undefined;
}

export interface EntityClient<S, E extends EntityName<S>> {
  /** A page of a list. */
  list<
    V extends ViewName<S, E, 'list'> = never,
    F extends FieldName<S, E, 'list', V> = never,
    X extends ExpandName<S, E> = never,
    C extends ValueField<S, E> = never,
  >(query?: ListQuery<S, E, V, F, X, C> & CallOptions): Promise<Page<Shows<S, E, 'list', V, F, X>, C>>;
  /** The pages of a list, each asked for when it is wanted. */
  pages<
    V extends ViewName<S, E, 'list'> = never,
    F extends FieldName<S, E, 'list', V> = never,
    X extends ExpandName<S, E> = never,
    C extends ValueField<S, E> = never,
  >(query?: ListQuery<S, E, V, F, X, C> & CallOptions): AsyncIterable<Page<Shows<S, E, 'list', V, F, X>, C>>;
  /** The records of all pages of a list. */
  each<
    V extends ViewName<S, E, 'list'> = never,
    F extends FieldName<S, E, 'list', V> = never,
    X extends ExpandName<S, E> = never,
  >(query?: ListQuery<S, E, V, F, X> & CallOptions): AsyncIterable<Shows<S, E, 'list', V, F, X>>;
  /** The number of records, also where the platform counts them in parts. */
  count(query?: CountQuery<S, E> & CallOptions): Promise<number>;
  /** Figures of groups of the records of a list: a page of them. */
  aggregate<G extends GroupTerm<S, E> = never, M extends MeasureTerm<S, E> = 'count'>(
    query?: AggregateQuery<S, E, G, M> & CallOptions,
  ): Promise<GroupPage<G, M>>;
  get<
    V extends ViewName<S, E, 'get'> = never,
    F extends FieldName<S, E, 'get', V> = never,
    X extends ExpandName<S, E> = never,
  >(id: string, options?: ShowQuery<V, F, X> & CallOptions): Promise<Shows<S, E, 'get', V, F, X>>;
  create<V extends ViewName<S, E, 'create'> = never>(
    data: CreateOf<S, E>,
    options?: CreateOptions<V>,
  ): Promise<Shows<S, E, 'create', V, never, never>>;
  /** Changes the fields that are sent; `null` clears one. */
  update<V extends ViewName<S, E, 'update'> = never>(
    id: string,
    changes: UpdateOf<S, E>,
    options?: WriteOptions<V> & ChangeOptions,
  ): Promise<Shows<S, E, 'update', V, never, never>>;
  /** @returns the job that does the rest, if many records go or change with this one. */
  delete(id: string, options?: ChangeOptions & CallOptions): Promise<Job | undefined>;
}

export function entityClient<S, E extends EntityName<S>>(caller: Caller, name: E): EntityClient<S, E> {
  return new Records(caller, name) as unknown as EntityClient<S, E>;
}

/** Without the types, which come from the definition and hold for no code here. */
class Records {
  readonly #caller: Caller;
  readonly #name: string;

  constructor(caller: Caller, name: string) {
    this.#caller = caller;
    this.#name = encodeURIComponent(name);
  }

  async list({ signal, ...query }: AnyQuery & CallOptions = {}): Promise<Page<never>> {
    const answer = await this.#caller.call('GET', `/list/${this.#name}`, { query: queryOf(query), signal });
    const {
      nexttoken,
      partial_reason: partialReason,
      facets_partial: facetsPartial,
      ...page
    } = objectOf<SentPage>(answer, { has: isPage });
    return {
      ...page,
      nextToken: nexttoken,
      ...(partialReason === undefined ? {} : { partialReason }),
      ...(facetsPartial === undefined ? {} : { facetsPartial }),
    };
  }

  async *pages(query: AnyQuery & CallOptions = {}): AsyncGenerator<Page<never>> {
    let cursor = query.cursor;
    do {
      const page: Page<never> = await this.list({ ...query, cursor });
      yield page;
      cursor = page.nextToken;
    } while (cursor !== null);
  }

  async *each(query: AnyQuery & CallOptions = {}): AsyncGenerator<never> {
    for await (const { items } of this.pages(query)) yield* items;
  }

  async count({ signal, ...query }: AnyQuery & CallOptions = {}): Promise<number> {
    let sum = 0;
    let cursor: string | undefined;
    do {
      const sent = { query: queryOf({ ...query, cursor }), signal };
      const answer = await this.#caller.call('GET', `/count/${this.#name}`, sent);
      const part = objectOf<SentCount>(answer, { has: ({ count }) => typeof count === 'number' });
      sum += part.count;
      cursor = part.nexttoken ?? undefined;
    } while (cursor !== undefined);
    return sum;
  }

  async aggregate({ signal, ...query }: AnyAggregate & CallOptions = {}): Promise<unknown> {
    const answer = await this.#caller.call('GET', `/aggregate/${this.#name}`, {
      query: aggregateQueryOf(query),
      signal,
    });
    const { nexttoken, partial_reason, ...page } = objectOf<SentPage>(answer, { has: isPage });
    return {
      ...page,
      nextToken: nexttoken,
      ...(partial_reason === undefined ? {} : { partialReason: partial_reason }),
    };
  }

  get(id: string, { signal, ...query }: AnyQuery & CallOptions = {}): Promise<never> {
    return this.#record('GET', `/item/${this.#name}/${encodeURIComponent(id)}`, { query: queryOf(query), signal });
  }

  create(body: unknown, { view, ...options }: CreateOptions<string> = {}): Promise<never> {
    return this.#record('POST', `/create/${this.#name}`, { ...options, query: { view }, body });
  }

  update(id: string, body: unknown, options: WriteOptions<string> & ChangeOptions = {}): Promise<never> {
    const { view, ifMatch, signal } = options;
    const path = `/update/${this.#name}/${encodeURIComponent(id)}`;
    return this.#record('PUT', path, { query: { view }, body, headers: conditionOf(ifMatch), signal });
  }

  async delete(id: string, { ifMatch, signal }: ChangeOptions & CallOptions = {}): Promise<Job | undefined> {
    const path = `/delete/${this.#name}/${encodeURIComponent(id)}`;
    const answer = await this.#caller.call('DELETE', path, { headers: conditionOf(ifMatch), signal });
    return answer.status === 204 ? undefined : objectOf<Job>(answer, { isChange: true });
  }

  async #record(...[method, path, options]: Parameters<Caller['call']>): Promise<never> {
    const answer = await this.#caller.call(method, path, options);
    const record = objectOf<never>(answer, { isChange: method !== 'GET' });
    remember(record, answer.headers);
    return record;
  }
}

interface SentPage {
  readonly items: readonly never[];
  readonly nexttoken: string | null;
  readonly partial_reason?: 'records' | 'time';
  readonly facets_partial?: 'records' | 'time' | 'values';
}

interface SentCount {
  readonly count: number;
  readonly nexttoken?: string | null;
}

function isPage({ items, nexttoken }: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(items) && (nexttoken === null || typeof nexttoken === 'string');
}

function conditionOf(ifMatch: IfMatch | undefined): Readonly<Record<string, string>> {
  return ifMatch === undefined ? {} : { 'if-match': ifMatchText(ifMatch) };
}
