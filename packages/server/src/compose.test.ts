import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { compose } from './compose.ts';
import { readConfig } from './config.ts';
import { createSealer } from './entities/sealed-values.ts';
import { verifyStore } from './entities/verify-store.ts';
import { listen } from './gateway/listener.ts';
import { groupEntries } from './iam/group-policies.ts';
import { createSecretsFile } from './identity/secrets-file.ts';
import { systemClock as clock } from './lib/clock.ts';
import { openStore } from './store/open-store.ts';
import { type OpenedStore, OutcomeUnknown, type Scope, Unavailable } from './store/port.ts';

/** The call of a store that fails, counted from when it is planted: each before it takes effect, a commit also after. */
let planted: { left: number; readonly when: 'before' | 'after' } | undefined;

async function failing<T>(isCommit: boolean, call: () => Promise<T>): Promise<T> {
  if (planted === undefined || (planted.when === 'after' && !isCommit)) return call();
  planted.left -= 1;
  if (planted.left >= 0) return call();
  const { when } = planted;
  planted = undefined;
  if (when === 'before') throw new Unavailable('planted');
  await call();
  throw new OutcomeUnknown('planted');
}

function faulty({ store, maintenance }: OpenedStore): OpenedStore {
  const wrap = (scope: Scope): Scope => ({
    name: scope.name,
    get: (keys) => failing(false, () => scope.get(keys)),
    range: (pk, read) => failing(false, () => scope.range(pk, read)),
    follow: (pk, read) => failing(false, () => scope.follow(pk, read)),
    count: (pk, range, atMost) => failing(false, () => scope.count(pk, range, atMost)),
    commit: (changes, options) => failing(true, () => scope.commit(changes, options)),
  });
  return { store: { ...store, scope: (name) => wrap(store.scope(name)) }, maintenance };
}

const dataDir = mkdtempSync(join(tmpdir(), 'freehold-faults-'));
const read = readConfig({ FREEHOLD_DATA_DIR: dataDir, FREEHOLD_DEMO: 'off' });
assert.ok('config' in read);
const spaces = {
  platform: await openStore({ kind: 'memory', clock }),
  test: await openStore({ kind: 'memory', clock }),
  prod: await openStore({ kind: 'memory', clock }),
};
const platform = await compose({
  config: read.config,
  clock,
  onFault: () => undefined,
  onFatal: (error) => assert.fail(String(error)),
  openSpace: async (space) => faulty(spaces[space]),
});
const errors = platform.errors(() => 'http://127.0.0.1');
const app = await listen({ host: '127.0.0.1', port: 0, gateway: platform.app, errors });
const management = await listen({ host: '127.0.0.1', port: 0, gateway: platform.management, errors });
after(async () => {
  await Promise.all([app.drain(0), management.drain(0)]);
  await platform.close();
  rmSync(dataDir, { recursive: true, force: true });
});

interface Reply {
  readonly status: number;
  readonly body: Body;
}

/** What the replies say that are looked into, each some of it. */
interface Body {
  readonly id: string;
  readonly token: string;
  readonly tenant_code: string;
  readonly count: number;
  readonly items: readonly {
    readonly title: string;
    readonly email: string;
    readonly name: string;
    readonly value: unknown;
  }[];
  readonly org: { readonly environments: { readonly test: { readonly client_id: string } } };
}

type Headers = Readonly<Record<string, string>>;

async function call(method: string, url: string, headers: Headers, body?: unknown): Promise<Reply> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(url, { method, headers: { 'content-type': 'application/json', ...headers }, ...sent });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

const random = () => randomBytes(6).toString('hex');
const password = 'correct horse battery';

function signUp(code: string): Promise<Reply> {
  const body = { email: `${code}@example.com`, password, name: 'Bea', org_name: code, org_code: code };
  return call('POST', `${management.url}/auth/signup`, {}, body);
}

async function newOrg() {
  const code = `o${random()}`;
  const { status, body } = await signUp(code);
  assert.equal(status, 201);
  const client_id: string = body.org.environments.test.client_id;
  const manage = (method: string, path: string, sent?: unknown, headers: Headers = {}) =>
    call(method, `${management.url}${path}`, { authorization: `Bearer ${body.token}`, ...headers }, sent);
  const signIn = async (email: string): Promise<Reply> => {
    const login = await call('POST', `${app.url}/app/${code}/login`, { client_id }, { email, password });
    if (login.status !== 200) return login;
    return call('GET', `${app.url}/app/${code}/token`, { client_id, oauthtoken: login.body.token });
  };
  const act = (token: string, method: string, path: string, sent?: unknown) =>
    call(method, `${app.url}/app/${code}${path}`, { authorization: `Bearer ${token}` }, sent);
  return { code, manage, signIn, act };
}

const org = await newOrg();
const founder: string = (await org.signIn('founder@example.com')).body.token;
const order = {
  entityName: 'order',
  UpdateParams: [
    { name: 'title', colType: 'string', index: true },
    { name: 'code', colType: 'string' },
  ],
  UniqueIndexes: [{ indexName: 'code', fields: ['code'] }],
};
assert.equal((await org.manage('POST', '/api/create-order', order)).status, 201);
const act = (method: string, path: string, sent?: unknown, headers: Headers = {}) =>
  call(method, `${app.url}/app/${org.code}${path}`, { authorization: `Bearer ${founder}`, ...headers }, sent);

async function codes(code: string): Promise<readonly { readonly title: string }[]> {
  return (await act('GET', `/list/order?code=${code}`)).body.items;
}

interface Attempt {
  readonly send: () => Promise<Reply>;
  /** What a repeated request may be answered beside success, where the first one counted. */
  readonly already?: number;
  /** Throws unless all of it stands. */
  readonly check: () => Promise<void>;
}

const flows: Readonly<Record<string, () => Promise<Attempt>>> = {
  'a sign-up': async () => {
    const code = `o${random()}`;
    const login = () => call('POST', `${management.url}/auth/login`, {}, { email: `${code}@example.com`, password });
    return { send: () => signUp(code), already: 409, check: async () => assert.equal((await login()).status, 200) };
  },
  'a first sign-in': async () => {
    const { signIn, act } = await newOrg();
    const check = async () => {
      const { token } = (await signIn('ann@example.com')).body;
      assert.equal((await act(token, 'GET', '/list/aclpolicy')).body.items.length, 2);
      assert.equal((await act(token, 'GET', '/list/user')).body.items.length, 1);
    };
    return { send: () => signIn('ann@example.com'), check };
  },
  'a create': async () => {
    const [code, key] = [random(), random()];
    const send = () => act('POST', '/create/order', { title: 'a', code }, { 'idempotency-key': key });
    return { send, check: async () => assert.equal((await codes(code)).length, 1) };
  },
  'an update': async () => {
    const [code, title] = [random(), random()];
    const { id } = (await act('POST', '/create/order', { title: 'a', code })).body;
    const check = async () => {
      assert.equal((await codes(code))[0]?.title, title);
      assert.equal((await act('GET', `/count/order?title=${title}`)).body.count, 1);
    };
    return { send: () => act('PUT', `/update/order/${id}`, { title }), check };
  },
  'a removal': async () => {
    const code = random();
    const { id } = (await act('POST', '/create/order', { title: 'a', code })).body;
    const check = async () => assert.deepEqual(await codes(code), []);
    return { send: () => act('DELETE', `/delete/order/${id}`), already: 404, check };
  },
  'a batch': async () => {
    const [one, other, key] = [random(), random(), random()];
    const operations = [one, other].map((code) => ({ action: 'create', entity: 'order', data: { code } }));
    const send = () => act('POST', '/batch', { mode: 'atomic', operations }, { 'idempotency-key': key });
    const check = async () => assert.deepEqual([(await codes(one)).length, (await codes(other)).length], [1, 1]);
    return { send, check };
  },
  'a definition': async () => {
    const [name, key] = [`e${random()}`, random()];
    const body = { entityName: name, UpdateParams: [{ name: 'title' }] };
    const send = () => org.manage('POST', `/api/create-${name}`, body, { 'idempotency-key': key });
    const check = async () => assert.equal((await act('POST', `/create/${name}`, { title: 'a' })).status, 201);
    return { send, check };
  },
  'a setting': async () => {
    const value = Math.floor(Math.random() * 300);
    const setting = { group: 'acl', name: 'cache_seconds', value };
    const check = async () => {
      const { items } = (await org.manage('GET', '/org/settings?group=acl')).body;
      assert.equal(items.find(({ name }) => name === 'cache_seconds')?.value, value);
    };
    return { send: () => org.manage('PUT', '/org/settings', setting), check };
  },
  'a workspace': async () => {
    const [email, code] = [`${random()}@example.com`, `w${random()}`];
    const { token } = (await org.signIn(email)).body;
    const check = async () => {
      const inside = (await org.signIn(email)).body;
      assert.equal(inside.tenant_code, code);
      assert.equal((await org.act(inside.token, 'GET', '/list/aclpolicy')).body.items.length, 2);
    };
    return { send: () => org.act(token, 'POST', '/user/workspace', { name: 'W', code }), already: 409, check };
  },
  'an invitation': async () => {
    const email = `${random()}@example.com`;
    const check = async () => {
      const { items } = (await act('GET', '/user/invitations')).body;
      assert.ok(items.some((item) => item.email === email));
    };
    return { send: () => act('POST', '/user/invitations', { email }), check };
  },
};

for (const [name, prepare] of Object.entries(flows)) {
  test(`of ${name}, no failing call of the store makes a success that is none, and the repeat leads to the end`, async () => {
    for (const when of ['before', 'after'] as const) {
      let tries = 0;
      for (let isThrough = false; !isThrough; tries++) {
        const { send, already, check } = await prepare();
        planted = { left: tries, when };
        const { status } = await send();
        isThrough = planted !== undefined;
        planted = undefined;
        const place = `call ${tries} failed ${when} it took effect`;
        assert.ok(status < 300 || (!isThrough && status >= 500), `${place}: ${status}`);
        if (status < 300) await check();
        const again = status < 300 ? status : (await send()).status;
        assert.ok(again < 300 || again === already, `${place}, and the repeat was answered ${again}`);
        await check();
      }
      assert.ok(tries > 1, `${tries} calls`);
    }
  });
}

test('nothing has drifted after all of that', async () => {
  const sealer = createSealer((await createSecretsFile(dataDir).read()).secrets.field_keys ?? []);
  const further = new Map([['group', groupEntries]]);
  const { drift, counts } = await verifyStore({ opened: spaces.test, clock, sealer, further });
  assert.deepEqual(drift, []);
  assert.ok(counts.records > 20);
});
