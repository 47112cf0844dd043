import createClient from 'openapi-fetch';
import type { components, operations, paths } from '../app/index.ts';
import type { operations as ManagementOperations, paths as ManagementPaths } from '../management/index.ts';
import type { paths as SummaryPaths } from '../summary/index.ts';
import { type Calls, found } from './calls.ts';

export function callsAt(baseUrl: string): Calls {
  const client = createClient<paths>({ baseUrl });
  let headers = {};
  return {
    signIn: async ({ client_id, ...body }) => {
      const login = await client.POST('/app/acme/login', { params: { header: { client_id } }, body });
      const header = { client_id, oauthtoken: found(login.data).token };
      const { token } = found((await client.GET('/app/acme/token', { params: { header } })).data);
      headers = { authorization: `Bearer ${token}` };
      return token;
    },
    create: async (title) => found((await client.POST('/app/acme/create/ticket', { headers, body: { title } })).data),
    get: async (id) =>
      found((await client.GET('/app/acme/item/ticket/{id}', { headers, params: { path: { id } } })).data),
    firstTitle: async () => {
      const { items } = found((await client.GET('/app/acme/list/ticket', { headers })).data);
      // @ts-expect-error a ticket has no such member
      items[0]?.titel;
      return items[0]?.title;
    },
    update: async (id, title) => {
      const params = { path: { id } };
      return found((await client.PUT('/app/acme/update/ticket/{id}', { headers, params, body: { title } })).data);
    },
  };
}

/** By the document of a view, which the call names. @returns the member that the view shows the title of a ticket as. */
export async function summarize(baseUrl: string, token: string, id: string): Promise<string | undefined> {
  const client = createClient<SummaryPaths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });
  const path = { id };
  // @ts-expect-error without its value the reply is by another view
  client.GET.bind(undefined, '/app/acme/item/ticket/{id}', { params: { path } });
  const query = { view: 'summary' } as const;
  const { data } = await client.GET('/app/acme/item/ticket/{id}', { params: { path, query } });
  // @ts-expect-error the view does not show it so
  data?.title;
  return data?.heading;
}

/** @returns the code of the org of a builder, by the management document. */
export async function readOrgCode(baseUrl: string, body: { email: string; password: string }): Promise<string> {
  const client = createClient<ManagementPaths>({ baseUrl });
  const { data } = await client.POST('/auth/login', { body });
  // The other reply asks for a second factor.
  const session = found(data !== undefined && 'user' in data ? data : undefined);
  const headers = { authorization: `Bearer ${session.token}` };
  return found((await client.GET('/org', { headers })).data).code;
}

type Body<O extends { requestBody?: { content: { 'application/json': unknown } } }> = NonNullable<
  O['requestBody']
>['content']['application/json'];

// What has a default may be left out, by a creator and by every other caller.
export const ticket: Body<operations['createTicket']> = { title: 'a' };
export const simulation: Body<ManagementOperations['simulateAccess']> = {
  action: 'listticket',
  resource: '/list/ticket',
};
export const activation: Body<ManagementOperations['activate']> = { note: 'now' };
export const batch: Body<operations['batch']> = {
  mode: 'atomic',
  operations: [{ action: 'create', entity: 'ticket', data: { title: 'a' } }],
};
export function openTickets({ values }: components['schemas']['AggregatePage']['items'][number]): number {
  return values.count ?? 0;
}
// @ts-expect-error the title is required
export const untitled: Body<operations['createTicket']> = {};
// @ts-expect-error no such state
export const unknown: Body<operations['createTicket']> = { title: 'a', state: 'lost' };

export const rehearsal: NonNullable<operations['importTicket']['parameters']['query']> = { dry_run: true };
// @ts-expect-error a text is no boolean
export const rehearsed: NonNullable<operations['importTicket']['parameters']['query']> = { dry_run: 'true' };
