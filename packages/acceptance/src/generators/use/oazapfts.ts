import * as api from '../app/client.ts';
import { type Calls, found } from './calls.ts';

export function callsAt(baseUrl: string): Calls {
  api.defaults.baseUrl = baseUrl;
  return {
    signIn: async ({ client_id, ...person }) => {
      const login = await api.logIn(client_id, person);
      const oauthtoken = found(login.status === 200 ? login.data : undefined).token;
      const { status, data } = await api.exchangeToken(client_id, oauthtoken);
      const { token } = found(status === 200 ? data : undefined);
      api.defaults.headers = { authorization: `Bearer ${token}` };
      return token;
    },
    create: async (title) => {
      const reply = await api.createTicket({ title });
      return found(reply.status === 201 ? reply.data : undefined);
    },
    get: async (id) => {
      const reply = await api.getTicket(id);
      return found(reply.status === 200 ? reply.data : undefined);
    },
    firstTitle: async () => {
      const reply = await api.listTicket();
      const { items } = found(reply.status === 200 ? reply.data : undefined);
      // @ts-expect-error a ticket has no such member
      items[0]?.titel;
      return items[0]?.title;
    },
    update: async (id, title) => {
      const reply = await api.updateTicket(id, { title });
      return found(reply.status === 200 ? reply.data : undefined);
    },
  };
}
