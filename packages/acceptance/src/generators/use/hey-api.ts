import { client } from '../app/client.gen.ts';
import * as api from '../app/index.ts';
import { type Calls, found } from './calls.ts';

export function callsAt(baseUrl: string): Calls {
  client.setConfig({ baseUrl });
  return {
    signIn: async ({ client_id, ...body }) => {
      const login = await api.logIn({ headers: { client_id }, body });
      const headers = { client_id, oauthtoken: found(login.data).token };
      const { token } = found((await api.exchangeToken({ headers })).data);
      client.setConfig({ baseUrl, auth: ({ type }) => (type === 'http' ? token : undefined) });
      return token;
    },
    create: async (title) => found((await api.createTicket({ body: { title } })).data),
    get: async (id) => found((await api.getTicket({ path: { id } })).data),
    firstTitle: async () => {
      const { items } = found((await api.listTicket()).data);
      // @ts-expect-error a ticket has no such member
      items[0]?.titel;
      return items[0]?.title;
    },
    update: async (id, title) => found((await api.updateTicket({ path: { id }, body: { title } })).data),
  };
}
