/** Who acts in the flows: a builder with an org, and a founder who holds `adminacl` where orders are kept. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { FaultyPlatform } from './faulty-platform.ts';

export interface Reply {
  readonly status: number;
  readonly body: Body;
}

/** What the replies say that are looked into, each some of it. */
export interface Body {
  readonly id: string;
  readonly token: string;
  readonly user_id: string;
  readonly tenant_id: string;
  readonly tenant_code: string;
  readonly code: string;
  readonly name: string;
  readonly key: string;
  readonly kid: string;
  readonly role: string;
  readonly fn: string;
  readonly base: string;
  readonly content: { readonly description?: string } | undefined;
  readonly count: number;
  readonly seen: string | null;
  readonly run: string;
  readonly state: string;
  readonly version: number;
  readonly plan: string;
  readonly client_id: string;
  readonly email_verified: boolean;
  readonly password: string | null;
  readonly members: number;
  readonly memberships: readonly { readonly tenant_code: string; readonly role: string }[];
  readonly disabled: object | null;
  readonly results: readonly { readonly status: number; readonly error?: { readonly code: string } }[];
  readonly items: readonly Item[];
  readonly user: { readonly id: string };
  readonly org: { readonly code: string; readonly environments: { readonly test: { readonly client_id: string } } };
}

export interface Item {
  readonly id: string;
  readonly kid: string;
  readonly title: string;
  readonly email: string;
  readonly name: string;
  readonly entity: string;
  readonly code: string;
  readonly role: string;
  readonly state: string;
  readonly status: string;
  readonly text: string;
  readonly current: boolean;
  readonly version: number;
  readonly value: unknown;
}

export type Headers = Readonly<Record<string, string>>;

/** A call by the caller of the headers, from an unused network. */
export async function call(method: string, url: string, headers: Headers, body?: unknown): Promise<Reply> {
  const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
  const from = `2001:${[1, 2, 3].map(() => randomBytes(2).toString('hex')).join(':')}::1`;
  const known = { 'x-forwarded-for': from, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  const response = await fetch(url, { method, headers: { ...known, ...headers }, ...sent });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

export const password = 'correct horse battery';
export const random = (): string => randomBytes(6).toString('hex');

export function newEmail(): string {
  return `${random()}@example.com`;
}

/** A call of a known caller. */
export type Act = (method: string, path: string, body?: unknown, headers?: Headers) => Promise<Reply>;

/** An org as its builder and its people call it. */
export class OrgCalls {
  readonly #platform: FaultyPlatform;
  readonly code: string;
  readonly email: string;
  readonly clientId: string;
  readonly token: string;

  constructor(platform: FaultyPlatform, { email, body }: { readonly email: string; readonly body: Body }) {
    this.#platform = platform;
    this.code = body.org.code;
    this.email = email;
    this.clientId = body.org.environments.test.client_id;
    this.token = body.token;
  }

  manage(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Reply> {
    const known = { authorization: `Bearer ${this.token}`, ...headers };
    return call(method, `${this.#platform.management}${path}`, known, body);
  }

  /** The text of a file that is answered. */
  async download(path: string): Promise<string> {
    const headers = { authorization: `Bearer ${this.token}` };
    const response = await fetch(`${this.#platform.management}${path}`, { headers });
    assert.equal(response.status, 200);
    return response.text();
  }

  /** Without a session. */
  anonymousCall(path: string, body: unknown): Promise<Reply> {
    return call('POST', `${this.#platform.management}${path}`, {}, body);
  }

  /** The calls with the token. */
  as(token: string): Act {
    return (method, path, body, headers = {}) =>
      this.call(method, path, body, { authorization: `Bearer ${token}`, ...headers });
  }

  /** Without a token of the app. */
  call(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Reply> {
    return call(
      method,
      `${this.#platform.app}/app/${this.code}${path}`,
      { client_id: this.clientId, ...headers },
      body,
    );
  }

  logIn(email: string, secret = password): Promise<Reply> {
    return this.call('POST', '/login', { email, password: secret });
  }

  exchange(oauthtoken: string): Promise<Reply> {
    return this.call('GET', '/token', undefined, { oauthtoken });
  }

  async signIn(email = newEmail()): Promise<Person> {
    const { body } = await this.exchange((await this.logIn(email)).body.token);
    return { email, token: body.token, id: body.user_id, tenantId: body.tenant_id };
  }
}

export interface Person {
  readonly email: string;
  readonly token: string;
  readonly id: string;
  readonly tenantId: string;
}

export interface Fixture {
  readonly platform: FaultyPlatform;
  readonly org: OrgCalls;
  readonly founder: Person;
  newOrg(): Promise<OrgCalls>;
  /** The calls of the founder. */
  readonly act: Act;
  /** The orders with this code. */
  orders(code: string): Promise<readonly Item[]>;
  /** The last code of a kind that was mailed to the address; undefined where none was. */
  mailedCode(email: string, page: string): Promise<string | undefined>;
}

export function signUp(platform: FaultyPlatform, code: string): Promise<Reply> {
  const body = { email: `${code}@example.com`, password, name: 'Bea', org_name: code, org_code: code };
  return call('POST', `${platform.management}/auth/signup`, {}, body);
}

const order = {
  entityName: 'order',
  UpdateParams: [
    { name: 'title', colType: 'string', index: true },
    { name: 'code', colType: 'string' },
  ],
  UniqueIndexes: [{ indexName: 'code', fields: ['code'] }],
};

export async function setUpFixture(platform: FaultyPlatform): Promise<Fixture> {
  const newOrg = async () => {
    const code = `o${random()}`;
    const { status, body } = await signUp(platform, code);
    assert.equal(status, 201);
    return new OrgCalls(platform, { email: `${code}@example.com`, body });
  };
  const org = await newOrg();
  const founder = await org.signIn();
  assert.equal((await org.manage('POST', '/api/create-order', order)).status, 201);
  const act = org.as(founder.token);
  return {
    platform,
    org,
    founder,
    newOrg,
    act,
    orders: async (code) => (await act('GET', `/list/order?code=${code}`)).body.items,
    mailedCode: async (email, page) => {
      const { body } = await call('GET', `${platform.management}/inbox?to=${email}`, { accept: 'application/json' });
      for (const { text } of body.items) {
        const code = [...text.matchAll(/#([\w-]+)=([\w.-]+)\s/g)].find(([, named]) => named === page)?.[2];
        if (code !== undefined) return code;
      }
      return undefined;
    },
  };
}
