/** Calls of a running platform by those who fill a fixture. Every one has to be answered as it says. */
export type Headers = Readonly<Record<string, string>>;

export interface Sent {
  readonly body?: unknown;
  readonly headers?: Headers;
}

export interface Reply {
  readonly status: number;
  /** JSON where it is some, else the text. */
  readonly body: unknown;
}

/** What the answers are looked into for. */
export interface ReplyValues {
  readonly id: string;
  readonly token: string;
  readonly key: string;
  readonly code: string;
  readonly version: number;
  readonly client_id: string;
  readonly secret: string;
  readonly user_id: string;
  readonly state: string;
  /** Of a list. */
  readonly items: readonly { readonly id: string }[];
  readonly org: { readonly environments: { readonly test: { readonly client_id: string } } };
}

export const password = 'correct horse battery';
export const operatorKey = 'g7Vt2kQx9LmZp4RwYb6NsHc3JdFe8TuA';

export async function call(method: string, url: string, { body, headers = {} }: Sent = {}): Promise<Reply> {
  const isJson = body !== undefined && typeof body !== 'string';
  const response = await fetch(url, {
    method,
    headers: { ...(isJson ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : body }),
  });
  const text = await response.text();
  return { status: response.status, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** @throws Error where the status is another one than that before the method. */
export async function must(expected: string, url: string, sent: Sent = {}): Promise<ReplyValues> {
  const [status, method = ''] = expected.split(' ');
  const reply = await call(method, url, sent);
  if (String(reply.status) === status) return reply.body as ReplyValues;
  throw new Error(`${method} ${url} is answered ${reply.status}: ${JSON.stringify(reply.body)}`);
}

export interface Gateways {
  readonly app: string;
  readonly management: string;
}

export function bearer(token: string): Headers {
  return { authorization: `Bearer ${token}` };
}

export interface Person {
  readonly id: string;
  readonly token: string;
}

/** Such as `201 POST`, and a path. */
export type Act = (expected: string, path: string, sent?: Sent) => Promise<ReplyValues>;

export class FixtureOrg {
  readonly #gateways: Gateways;
  readonly code: string;
  readonly token: string;
  readonly clientId: string;

  static async signUp(gateways: Gateways, code: string): Promise<FixtureOrg> {
    const body = { email: `bea@${code}.example`, password, name: 'Bea', org_name: `The ${code}`, org_code: code };
    return new FixtureOrg(gateways, code, await must('201 POST', `${gateways.management}/auth/signup`, { body }));
  }

  private constructor(gateways: Gateways, code: string, { token, org }: ReplyValues) {
    this.#gateways = gateways;
    this.code = code;
    this.token = token;
    this.clientId = org.environments.test.client_id;
  }

  /** A call of the builder. */
  readonly manage: Act = (expected, path, { body, headers = {} } = {}) =>
    must(expected, `${this.#gateways.management}${path}`, { body, headers: { ...bearer(this.token), ...headers } });

  /** The calls of who holds a token of the app, or a key. */
  as(token: string): Act {
    return (expected, path, { body, headers = {} } = {}) =>
      must(expected, this.url(path), { body, headers: { ...bearer(token), ...headers } });
  }

  url(path: string): string {
    return `${this.#gateways.app}/app/${this.code}${path}`;
  }

  async signIn(email: string, clientId = this.clientId): Promise<Person> {
    const headers = { client_id: clientId };
    const { token } = await must('200 POST', this.url('/login'), { headers, body: { email, password } });
    return this.exchange(token, clientId);
  }

  /** With another token for the one in hand. */
  async exchange(oauthtoken: string, clientId = this.clientId): Promise<Person> {
    const headers = { client_id: clientId, oauthtoken };
    const { token, user_id } = await must('200 GET', this.url('/token'), { headers });
    return { token, id: user_id };
  }
}
