import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApp } from './client.ts';
import { FreeholdError } from './errors.ts';
import { type ExchangedToken, SessionHolder, type SessionOptions, type SessionStorage } from './session.ts';

const hour = 3_600_000;
const key = 'freehold:test';

/** A token of 48 hours, as far as a client can read one. */
function token(name: string, tenant = 'main', user = 'u1'): ExchangedToken {
  const claims = { email: 'zoë@example.com', iat: 1000, exp: 1000 + 48 * 3600, name };
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
  const expires_at = '2026-11-22T10:00:00.000Z';
  return { token: `h.${payload}.s`, expires_at, user_id: user, tenant_id: `id-${tenant}`, tenant_code: tenant };
}

function memory(): SessionStorage {
  const items = new Map<string, string>();
  return {
    getItem: (name) => items.get(name) ?? null,
    setItem: (name, value) => void items.set(name, value),
    removeItem: (name) => void items.delete(name),
  };
}

/** A storage of a browser that is full, or turned off; `works` turns it on. */
function refusing(fails: readonly (keyof SessionStorage)[]) {
  const inner = memory();
  const state = { works: false };
  const guarded = (name: keyof SessionStorage) => {
    if (!state.works && fails.includes(name)) throw new DOMException('refused', 'QuotaExceededError');
  };
  const storage: SessionStorage = {
    getItem: (name) => {
      guarded('getItem');
      return inner.getItem(name);
    },
    setItem: (name, value) => {
      guarded('setItem');
      inner.setItem(name, value);
    },
    removeItem: (name) => {
      guarded('removeItem');
      inner.removeItem(name);
    },
  };
  return { state, storage };
}

/** A holder with a clock of its own, and exchanges that are answered by the test. */
function started(options: Partial<SessionOptions> = {}) {
  const clock = { now: 0 };
  const requests: { readonly tenant: string | null; readonly answer: PromiseWithResolvers<ExchangedToken> }[] = [];
  const over: string[] = [];
  const holder = new SessionHolder({
    storage: undefined,
    key,
    now: () => clock.now,
    exchange: (_, tenant) => {
      const answer = Promise.withResolvers<ExchangedToken>();
      requests.push({ tenant, answer });
      return answer.promise;
    },
    onSignedOut: ({ code }) => over.push(code),
    ...options,
  });
  return { clock, requests, over, holder };
}

const refused = (code: 'token_expired' | 'token_invalid') => new FreeholdError({ status: 401, code, detail: code });

test('a session says who it is of, and when it ends', () => {
  const { holder } = started();
  holder.set(token('a'));
  assert.deepEqual(holder.session, {
    userId: 'u1',
    tenantId: 'id-main',
    tenantCode: 'main',
    email: 'zoë@example.com',
    expiresAt: '2026-11-22T10:00:00.000Z',
  });
});

test('a token is renewed once when four fifths of its life are over, in its own workspace, while calls go on', async () => {
  const { clock, requests, holder } = started();
  const [first, second] = [token('a'), token('b')];
  holder.set(first);
  clock.now = 38 * hour;
  holder.token();
  assert.equal(requests.length, 0);
  clock.now = 39 * hour;
  assert.equal(holder.token()?.token, first.token);
  assert.equal(holder.token()?.token, first.token);
  assert.deepEqual(
    requests.map(({ tenant }) => tenant),
    ['main'],
  );
  const renewal = holder.renew();
  assert.equal(requests.length, 1);
  requests[0]?.answer.resolve(second);
  await renewal;
  assert.equal(holder.token()?.token, second.token);
  clock.now = 39 * hour + 38 * hour;
  holder.token();
  assert.equal(requests.length, 1);
});

test('a renewal that fails leaves the token as it is, and is tried again after half a minute', async () => {
  const { clock, requests, over, holder } = started();
  holder.set(token('a'));
  clock.now = 47 * hour;
  const held = holder.token();
  const renewal = holder.renew();
  requests[0]?.answer.reject(refused('token_expired'));
  await assert.rejects(renewal);
  assert.deepEqual(holder.token(), held);
  assert.deepEqual([requests.length, over], [1, []]);
  clock.now += 30_001;
  holder.token();
  assert.equal(requests.length, 2);
});

test('a renewal that ends after a switch or a sign-out brings nothing back', async () => {
  for (const next of [token('b', 'other'), undefined]) {
    const { requests, holder } = started();
    holder.set(token('a'));
    const renewal = holder.renew();
    holder.set(next);
    requests[0]?.answer.resolve(token('c'));
    await renewal;
    assert.equal(holder.token()?.token, next?.token);
  }
});

test('a refused token that has been renewed meanwhile is replaced, also by another tab', async () => {
  const storage = memory();
  const { holder, requests } = started({ storage });
  const other = started({ storage }).holder;
  const [first, second] = [token('a'), token('b')];
  holder.set(first);
  other.set(second);
  assert.deepEqual((await holder.replacementOf(first, refused('token_invalid'))).token, second.token);
  assert.equal(requests.length, 0);
});

test('an expired token is renewed if the platform does so, once for all calls that it refused', async () => {
  const { holder, requests } = started();
  const [first, second] = [token('a'), token('b')];
  holder.set(first);
  const both = [1, 2].map(() => holder.replacementOf(first, refused('token_expired')));
  await new Promise(setImmediate);
  assert.equal(requests.length, 1);
  requests[0]?.answer.resolve(second);
  assert.deepEqual(
    (await Promise.all(both)).map((held) => held.token),
    [second.token, second.token],
  );
});

test('a refused token without a replacement ends the session, and says so once', async () => {
  const { holder, over } = started();
  const seen: unknown[] = [];
  holder.listen((session) => seen.push(session));
  const first = token('a');
  holder.set(first);
  const refusal = refused('token_invalid');
  for (let call = 0; call < 2; call++) await assert.rejects(holder.replacementOf(first, refusal), refusal);
  assert.deepEqual([over, seen.length, holder.session], [['token_invalid'], 2, undefined]);
});

test('a call is never sent again as another user, or in another workspace', async () => {
  for (const next of [token('b', 'main', 'u2'), token('b', 'other')]) {
    const { holder, over } = started();
    const first = token('a');
    holder.set(first);
    holder.set(next);
    const refusal = refused('token_invalid');
    await assert.rejects(holder.replacementOf(first, refusal), refusal);
    assert.deepEqual([holder.token()?.token, over], [next.token, []]);
  }
});

test('a session outlives the program in a storage; what cannot be read there is no session', () => {
  const storage = memory();
  const first = token('a');
  started({ storage }).holder.set(first);
  assert.equal(started({ storage }).holder.token()?.token, first.token);
  started({ storage }).holder.set(undefined);
  for (const text of [null, 'null', '{', '{"token":1}', '[]'])
    assert.equal(started({ storage: { ...storage, getItem: () => text } }).holder.session, undefined);
});

const failures: readonly (readonly (keyof SessionStorage)[])[] = [
  ['setItem'],
  ['removeItem'],
  ['setItem', 'removeItem'],
  ['getItem'],
  ['getItem', 'setItem', 'removeItem'],
];

for (const fails of failures) {
  test(`a session is held in memory where ${fails} of the storage throws, also past a refused token`, async () => {
    const { storage } = refusing(fails);
    const { holder, requests, over } = started({ storage });
    const seen: unknown[] = [];
    holder.listen((session) => seen.push(session?.userId));
    const [first, second] = [token('a'), token('b')];
    holder.set(first);
    assert.deepEqual([holder.token()?.token, seen], [first.token, ['u1']]);
    const replacement = holder.replacementOf(first, refused('token_expired'));
    await new Promise(setImmediate);
    requests[0]?.answer.resolve(second);
    assert.equal((await replacement).token, second.token);
    assert.deepEqual([holder.token()?.token, over], [second.token, []]);
  });

  test(`a sign-out ends the session where ${fails} of the storage throws, and gives its token`, async () => {
    const { storage, state } = refusing(fails);
    const { holder } = started({ storage });
    const first = token('a');
    state.works = true;
    holder.set(first);
    state.works = false;
    assert.equal((await holder.end())?.token, first.token);
    assert.equal(holder.session, undefined);
    const refusal = refused('token_invalid');
    await assert.rejects(holder.replacementOf(first, refusal), refusal);
    assert.equal(holder.session, undefined);
  });
}

test('a storage that refuses a session does not keep the one before for the next program', () => {
  const { storage, state } = refusing(['setItem']);
  state.works = true;
  started({ storage }).holder.set(token('a'));
  const { holder } = started({ storage });
  state.works = false;
  holder.set(token('b', 'main', 'u2'));
  assert.equal(started({ storage }).holder.session, undefined);
  state.works = true;
  const third = token('c', 'main', 'u2');
  holder.set(third);
  assert.equal(started({ storage }).holder.token()?.token, third.token);
});

test('a user signs in where the storage throws, and a sign-out ends the token on the platform', async () => {
  const sent: string[] = [];
  const fetch = async (url: string | URL | Request, { headers }: RequestInit = {}): Promise<Response> => {
    const { pathname } = new URL(String(url));
    sent.push(`${pathname} ${new Headers(headers).get('authorization')}`);
    return pathname.endsWith('/logout') ? new Response(null, { status: 204 }) : Response.json(token('a'));
  };
  const { storage } = refusing(['getItem', 'setItem', 'removeItem']);
  const app = createApp({ url: 'https://x', org: 'acme', clientId: 'c', storage, fetch });
  const { userId } = await app.signIn({ email: 'zoë@example.com', password: 'x' });
  assert.deepEqual([userId, app.session?.userId], ['u1', 'u1']);
  await app.signOut();
  assert.equal(app.session, undefined);
  assert.equal(sent.at(-1), `/app/acme/user/logout Bearer ${token('a').token}`);
});
