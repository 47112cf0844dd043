import { type Call, call, itemsOf, Refused, type Reply } from './call.ts';

export interface Urls {
  readonly app: string;
  readonly management: string;
}

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** The app of the demo, as its users reach it. */
export interface App {
  /** The app gateway with the path of the org. */
  readonly base: string;
  readonly clientId: string;
}

export interface Session {
  readonly userId: string;
  /** Of the workspace that the session is in; empty outside all of them. */
  readonly tenantCode: string;
  call(path: string, options?: Omit<Call, 'url' | 'token'>): Promise<Reply>;
  itemsOf(path: string): Promise<readonly Reply[]>;
  readonly token: string;
}

/** Signs a user in; an unknown email makes an account. */
export async function signIn(app: App, credentials: Credentials): Promise<Session> {
  const headers = { client_id: app.clientId };
  const login = await call({ url: `${app.base}/login`, body: credentials, headers });
  return exchange(app, String(login.token));
}

/** @returns a session in the workspace that the user was in last, with a token that knows of it. */
export async function renewed(app: App, { token }: Session): Promise<Session> {
  return exchange(app, token);
}

async function exchange({ base, clientId }: App, oauthtoken: string): Promise<Session> {
  const reply = await call({ url: `${base}/token`, headers: { client_id: clientId, oauthtoken } });
  const token = String(reply.token);
  return { ...callsWith(base, token), userId: String(reply.user_id), tenantCode: String(reply.tenant_code ?? '') };
}

export type Builder = Pick<Session, 'call' | 'itemsOf'>;

/** Signs a builder up, or in if the email has an account. */
export async function signUpOrIn(urls: Urls, { signUp, ...credentials }: Credentials & { readonly signUp: Reply }) {
  return signedUp(urls, { ...credentials, ...signUp }).catch((error: unknown) => {
    if (!(error instanceof Refused && error.code === 'conflict')) throw error;
    return signInBuilder(urls, credentials);
  });
}

async function signedUp({ management }: Urls, body: Reply): Promise<Builder> {
  const { token } = await call({ url: `${management}/auth/signup`, body });
  return callsWith(management, String(token));
}

export async function signInBuilder({ management }: Urls, body: Credentials): Promise<Builder> {
  const { token } = await call({ url: `${management}/auth/login`, body });
  return callsWith(management, String(token));
}

function callsWith(base: string, token: string): Pick<Session, 'call' | 'itemsOf' | 'token'> {
  return {
    token,
    call: (path, options) => call({ ...options, url: `${base}${path}`, token }),
    itemsOf: (path) => itemsOf({ url: `${base}${path}`, token }),
  };
}
