import * as api from '../app/client.ts';
import { type Calls, found } from './calls.ts';

export function callsAt(baseUrl: string): Calls {
  // Its functions take paths alone, as in a page of the same origin.
  const { fetch } = globalThis;
  globalThis.fetch = (input, init) => fetch(typeof input === 'string' ? new URL(input, baseUrl) : input, init);
  let options = {};
  return {
    signIn: async ({ client_id, ...body }) => {
      const login = await api.logIn(body, { headers: { client_id } });
      const oauthtoken = found(login.status === 200 ? login.data : undefined).token;
      const { status, data } = await api.exchangeToken({}, { headers: { client_id, oauthtoken } });
      const { token } = found(status === 200 ? data : undefined);
      options = { headers: { authorization: `Bearer ${token}` } };
      return token;
    },
    create: async (title) => {
      const reply = await api.createTicket({ title }, undefined, options);
      return found(reply.status === 201 ? reply.data : undefined);
    },
    get: async (id) => {
      const reply = await api.getTicket(id, undefined, options);
      return found(reply.status === 200 ? reply.data : undefined);
    },
    firstTitle: async () => {
      const reply = await api.listTicket(undefined, options);
      const { items } = found(reply.status === 200 ? reply.data : undefined);
      // @ts-expect-error a ticket has no such member
      items[0]?.titel;
      return items[0]?.title;
    },
    update: async (id, title) => {
      const reply = await api.updateTicket(id, { title }, undefined, options);
      return found(reply.status === 200 ? reply.data : undefined);
    },
  };
}
