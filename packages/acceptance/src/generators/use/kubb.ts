import { setConfig } from '../app/.kubb/fetch.ts';
import * as api from '../app/client.ts';
import type { Calls } from './calls.ts';

export function callsAt(baseURL: string): Calls {
  // It sends text as such if it is not told otherwise.
  const headers = { 'content-type': 'application/json' };
  setConfig({ baseURL, headers });
  return {
    signIn: async ({ client_id, ...person }) => {
      const { token: oauthtoken } = await api.logIn(person, { client_id });
      const { token } = await api.exchangeToken({ client_id, oauthtoken });
      setConfig({ baseURL, headers: { ...headers, authorization: `Bearer ${token}` } });
      return token;
    },
    create: (title) => api.createTicket({ title }),
    get: (id) => api.getTicket(id),
    firstTitle: async () => {
      const { items } = await api.listTicket();
      // @ts-expect-error a ticket has no such member
      items[0]?.titel;
      return items[0]?.title;
    },
    update: (id, title) => api.updateTicket(id, { title }),
  };
}
