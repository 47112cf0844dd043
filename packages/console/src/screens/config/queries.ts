import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import type { Environment } from '../../api/session.ts';
import { keyOfKind } from '../../components/item-versions.tsx';
import type { Schema } from '../../components/schema-form/schema.ts';
import type { Kind } from './kinds.ts';

/** The schemas of all kinds, which change with the version of the platform alone. */
export const schemasQuery = queryOptions({
  queryKey: ['config schemas'],
  queryFn: async ({ signal }) => {
    const { items } = await call('listConfigKinds', { signal });
    return new Map<string, Schema>(items.map(({ kind, schema }) => [kind, schema]));
  },
  staleTime: Number.POSITIVE_INFINITY,
});

const pagesize = 100;

export const itemsQuery = (env: Environment, kind: Kind) =>
  infiniteQueryOptions({
    queryKey: [keyOfKind(kind), 'list', env],
    queryFn: ({ pageParam, signal }) =>
      call('listConfigItems', { params: { kind }, query: { env, pagesize, nexttoken: pageParam }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ nexttoken }) => nexttoken,
  });

/** The names of all logic blocks, which policies allow to run. */
export const blockNamesQuery = (env: Environment) =>
  queryOptions({
    queryKey: [keyOfKind('logicblock'), 'names', env],
    queryFn: async ({ signal }) => {
      const names: string[] = [];
      let nexttoken: string | null = '';
      while (nexttoken !== null) {
        const page: Page = await call('listConfigItems', {
          params: { kind: 'logicblock' },
          query: { env, pagesize, nexttoken },
          signal,
        });
        names.push(...page.items.map(({ name }) => name));
        nexttoken = page.nexttoken;
      }
      return names;
    },
  });

interface Page {
  readonly items: readonly { readonly name: string }[];
  readonly nexttoken: string | null;
}

export interface Setting {
  readonly group: string;
  readonly name: string;
  readonly value: unknown;
  readonly prod_value?: unknown;
  /** 0 for the default of a setting that is not set. */
  readonly version: number;
  /** The default of the environment. */
  readonly default: unknown;
  readonly description: string;
}

/** The settings with the values that hold, set or not. */
export const settingsQuery = (env: Environment) =>
  queryOptions({
    queryKey: [keyOfKind('settings'), 'values', env],
    queryFn: async ({ signal }) => {
      const { items } = await call('listSettings', { query: { env }, signal });
      return items as readonly Setting[];
    },
  });

/** An item as the screen edits it. */
export interface Item {
  readonly content: object;
  /** Undefined for a setting that has its default. */
  readonly version: number | undefined;
  /** The entity tag that a change is held to. */
  readonly tag: string | undefined;
  readonly references: readonly Referring[];
  readonly referencedBy: readonly Referring[];
  /** The verdict of the platform on the content as it is stored. */
  readonly warnings: readonly string[];
}

export interface Referring {
  readonly kind: string;
  readonly name: string;
  readonly reason: string;
}

export interface Named {
  readonly env: Environment;
  readonly kind: Kind;
  readonly name: string;
}

export const itemQuery = (item: Named) =>
  queryOptions({
    queryKey: [keyOfKind(item.kind), 'item', item.env, item.name],
    queryFn: ({ signal }) => readItem(item, signal),
  });

async function readItem({ env, kind, name }: Named, signal: AbortSignal): Promise<Item> {
  const setting = kind === 'settings' ? await settingOf(env, name) : undefined;
  // It is no item before it is set, and has a value all the same.
  if (setting?.version === 0)
    return {
      content: { value: setting.value },
      version: undefined,
      tag: undefined,
      references: [],
      referencedBy: [],
      warnings: [],
    };
  const body = await call('readConfigItem', {
    params: { kind, name },
    query: { env, references: true },
    signal,
  });
  if (body === undefined) throw new Error('the reply has no body');
  return {
    content: body.content as object,
    version: body.version,
    tag: `"${body.version}"`,
    references: body.references ?? [],
    referencedBy: body.referenced_by ?? [],
    warnings: body.warnings ?? [],
  };
}

async function settingOf(env: Environment, name: string): Promise<Setting | undefined> {
  const settings = await queryClient.fetchQuery(settingsQuery(env));
  return settings.find((setting) => `${setting.group}.${setting.name}` === name);
}

/** The schema of an item: that of a setting is one of those of its kind. */
export function schemaOf(schemas: ReadonlyMap<string, Schema>, kind: Kind, name: string): Schema | undefined {
  const schema = schemas.get(kind);
  return kind === 'settings' ? schema?.anyOf?.find(({ title }) => title === name) : schema;
}
