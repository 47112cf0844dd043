import { Api } from '../app/client.ts';
import type { Calls } from './calls.ts';

export function callsAt(baseUrl: string): Calls {
  const client = new Api<string>({
    baseUrl,
    securityWorker: (token) => (token === null ? {} : { headers: { authorization: `Bearer ${token}` } }),
  });
  return {
    signIn: async ({ client_id, ...person }) => {
      const { token: oauthtoken } = (await client.app.logIn(person, { headers: { client_id } })).data;
      const { token } = (await client.app.exchangeToken({}, { headers: { client_id, oauthtoken } })).data;
      client.setSecurityData(token);
      return token;
    },
    create: async (title) => (await client.app.createTicket({ title })).data,
    get: async (id) => (await client.app.getTicket(id)).data,
    firstTitle: async () => {
      const { items } = (await client.app.listTicket()).data;
      // @ts-expect-error a ticket has no such member
      items[0]?.titel;
      return items[0]?.title;
    },
    update: async (id, title) => (await client.app.updateTicket(id, { title })).data,
  };
}
