import type { OpenapiDocument } from '@freehold/docs/openapi/openapi';
import { queryOptions } from '@tanstack/react-query';
import { type Actor, callApp } from '../../api/app.ts';
import { call } from '../../api/call.ts';
import type { Environment } from '../../api/session.ts';

/**
 * The routes of an entity, whose replies show records by the view; without an entity those that every app has. Definitions
 * change them, and so does nothing else.
 */
export const documentQuery = (env: Environment, entity: string | undefined, view = '') =>
  queryOptions({
    queryKey: ['entities', env, 'openapi', entity ?? '', view],
    queryFn: async ({ signal }) => {
      const document: unknown = await call('readAppOpenapi', {
        query: { env, entity, ...(view === '' ? {} : { view }) },
        signal,
      });
      return document as OpenapiDocument;
    },
    // Another view changes the replies of the operation, and nothing that was typed.
    placeholderData: (before: OpenapiDocument | undefined, query) =>
      query?.queryKey[3] === (entity ?? '') ? before : undefined,
  });

/** The routes of the management API, which are the same for every org. */
export const managementQuery = queryOptions({
  queryKey: ['management openapi'],
  queryFn: async ({ signal }) => {
    const document: unknown = await call('readOpenapi', { signal });
    return document as OpenapiDocument;
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** The id of a record that the actor may list; null if there is none. */
export const someIdQuery = (actor: Actor, entity: string) =>
  queryOptions({
    queryKey: ['records', actor, 'some id', entity],
    queryFn: async ({ signal }) => {
      const { body } = await callApp(actor, 'GET', `/list/${entity}`, { query: { pagesize: 1 }, signal });
      const [first] = (body as { readonly items?: readonly { readonly id?: string }[] }).items ?? [];
      return first?.id ?? null;
    },
    staleTime: 60_000,
    retry: false,
  });
