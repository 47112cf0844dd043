import { randomBytes } from 'node:crypto';

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

export interface DemoSession {
  readonly userId: string;
  /** Of the workspace that the session is in; empty outside all of them. */
  readonly tenantCode: string;
  call(path: string, options?: Omit<Call, 'url' | 'token'>): Promise<Reply>;
  itemsOf(path: string): Promise<readonly Reply[]>;
  readonly token: string;
}

/** Signs a user in; an unknown email makes an account. */
export async function signIn(app: App, credentials: Credentials): Promise<DemoSession> {
  const headers = { client_id: app.clientId };
  const login = await call({ url: `${app.base}/login`, body: credentials, headers });
  return exchange(app, String(login.token));
}

/** @returns a session in the workspace that the user was in last, with a token that knows of it. */
export async function renewed(app: App, { token }: DemoSession): Promise<DemoSession> {
  return exchange(app, token);
}

async function exchange({ base, clientId }: App, oauthtoken: string): Promise<DemoSession> {
  const reply = await call({ url: `${base}/token`, headers: { client_id: clientId, oauthtoken } });
  const token = String(reply.token);
  return { ...callsWith(base, token), userId: String(reply.user_id), tenantCode: String(reply.tenant_code ?? '') };
}

export type Builder = Pick<DemoSession, 'call' | 'itemsOf'>;

/** Signs a builder up, or in if the email has an account. */
export async function signUpOrIn(urls: Urls, { signUp, ...credentials }: Credentials & { readonly signUp: Reply }) {
  return signedUp(urls, { ...credentials, ...signUp }).catch((error: unknown) => {
    if (!(error instanceof CallRefused && error.code === 'conflict')) throw error;
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

function callsWith(base: string, token: string): Pick<DemoSession, 'call' | 'itemsOf' | 'token'> {
  return {
    token,
    call: (path, options) => call({ ...options, url: `${base}${path}`, token }),
    itemsOf: (path) => itemsOf({ url: `${base}${path}`, token }),
  };
}

/** The trace that the demo's own calls belong to. */
export const demoTraceId = randomBytes(16).toString('hex');

interface Call {
  readonly method?: string;
  readonly url: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, or as it is if it is a text. */
  readonly body?: unknown;
}

type Reply = Readonly<Record<string, unknown>>;

/** A reply that is no success. */
export class CallRefused extends Error {
  readonly code: string;
  constructor(path: string, { code, detail }: Reply) {
    super(`${path} answered ${String(code)}: ${String(detail)}`);
    this.code = String(code);
  }
}

/** @throws {Refused} if the reply is no success. */
export async function call(options: Call): Promise<Reply> {
  const response = await send(options);
  const reply = response.status === 204 ? {} : ((await response.json()) as Reply);
  if (!response.ok) throw new CallRefused(new URL(options.url).pathname, reply);
  return reply;
}

/** The items of a list of the platform. */
async function itemsOf(options: Call): Promise<readonly Reply[]> {
  return (await call(options)).items as readonly Reply[];
}

/** @returns the reply, whatever its status is. */
export function send({ method, url, token, headers, body }: Call): Promise<Response> {
  const isText = typeof body === 'string';
  return fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      traceparent: `00-${demoTraceId}-${demoTraceId.slice(16)}-00`,
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'Content-Type': isText ? 'application/x-ndjson' : 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
  });
}
