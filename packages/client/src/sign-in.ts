/** The way a person comes in: a log-in or a provider's token, and the app JWT in exchange. */
import { requestOf } from './caller.ts';
import { FreeholdError } from './errors.ts';
import { withQuery } from './query.ts';
import { objectOf } from './reply.ts';
import type { ExchangedToken } from './session.ts';
import { send, type Transport } from './transport.ts';

export interface Credentials {
  readonly email: string;
  readonly password: string;
  /** `false` makes no account of a new email: it is refused as a wrong password is. */
  readonly signup?: boolean;
}

export interface SignIn {
  /** Of a token that stays good: one of a provider, or one of the app. */
  exchange(token: string, options?: ExchangeOptions): Promise<ExchangedToken>;
  /** Ends a token. One that is over already is no mistake. */
  end(token: string, everywhere: boolean): Promise<void>;
  withPassword(credentials: Credentials, signal: AbortSignal | undefined): Promise<ExchangedToken>;
}

interface ExchangeOptions {
  readonly tenantCode?: string | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

export function signIn(transport: Transport, app: { readonly base: string; readonly clientId: string }): SignIn {
  // Proxies may drop a header with an underscore.
  const client = { 'client-id': app.clientId };
  const exchange = async (token: string, { tenantCode, signal }: ExchangeOptions = {}, sender = transport) => {
    const request = requestOf('GET', '/token', { headers: { ...client, oauthtoken: token }, signal });
    const url = withQuery(`${app.base}/token`, { tenant_code: tenantCode });
    return objectOf<ExchangedToken>(await send(sender, { ...request, url }), { has: hasToken });
  };
  return {
    exchange: (token, options) => exchange(token, options),
    end: async (token, everywhere) => {
      const headers = { authorization: `Bearer ${token}` };
      const request = requestOf('POST', '/user/logout', { headers, body: everywhere ? { everywhere } : {} });
      await send(transport, { ...request, url: `${app.base}/user/logout`, countsOnce: true }).catch(unlessOver);
    },
    withPassword: async (body, signal) => {
      const logIn = async (): Promise<ExchangedToken> => {
        const request = requestOf('POST', '/login', { headers: client, body, signal });
        const login = await send(transport, { ...request, url: `${app.base}/login` });
        const { token } = objectOf<{ readonly token: string }>(login, { has: hasToken });
        return exchange(token, { signal }, { ...transport, retries: 0 });
      };
      try {
        return await logIn();
      } catch (error) {
        // A login token is good once: an exchange without a reply may have spent it.
        if (!isWithoutReply(error) || transport.retries === 0) throw error;
        return logIn();
      }
    },
  };
}

export function hasToken({ token }: Readonly<Record<string, unknown>>): boolean {
  return typeof token === 'string';
}

function unlessOver(error: unknown): void {
  if (!isOver(error)) throw error;
}

/** Whether a call failed since its token is valid no longer. */
export function isOver(error: unknown): boolean {
  return error instanceof FreeholdError && error.status === 401;
}

function isWithoutReply(error: unknown): boolean {
  return error instanceof FreeholdError && (error.code === 'network' || error.status >= 500);
}
