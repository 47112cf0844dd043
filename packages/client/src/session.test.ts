import assert from 'node:assert/strict';
import { test } from 'node:test';
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

/** A holder with a clock of its own, and exchanges that are answered by the test. */
function started(options: Partial<SessionOptions> = {}) {
  const clock = { now: 0 };
  const asked: { readonly tenant: string | null; readonly answer: PromiseWithResolvers<ExchangedToken> }[] = [];
  const over: string[] = [];
  const holder = new SessionHolder({
    storage: undefined,
    key,
    now: () => clock.now,
    exchange: (_, tenant) => {
      const answer = Promise.withResolvers<ExchangedToken>();
      asked.push({ tenant, answer });
      return answer.promise;
    },
    onSignedOut: ({ code }) => over.push(code),
    ...options,
  });
  return { clock, asked, over, holder };
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
  const { clock, asked, holder } = started();
  const [first, second] = [token('a'), token('b')];
  holder.set(first);
  clock.now = 38 * hour;
  holder.token();
  assert.equal(asked.length, 0);
  clock.now = 39 * hour;
  assert.equal(holder.token()?.token, first.token);
  assert.equal(holder.token()?.token, first.token);
  assert.deepEqual(
    asked.map(({ tenant }) => tenant),
    ['main'],
  );
  const renewal = holder.renew();
  assert.equal(asked.length, 1);
  asked[0]?.answer.resolve(second);
  await renewal;
  assert.equal(holder.token()?.token, second.token);
  clock.now = 39 * hour + 38 * hour;
  holder.token();
  assert.equal(asked.length, 1);
});

test('a renewal that fails leaves the token as it is, and is tried again after half a minute', async () => {
  const { clock, asked, over, holder } = started();
  holder.set(token('a'));
  clock.now = 47 * hour;
  const held = holder.token();
  const renewal = holder.renew();
  asked[0]?.answer.reject(refused('token_expired'));
  await assert.rejects(renewal);
  assert.deepEqual(holder.token(), held);
  assert.deepEqual([asked.length, over], [1, []]);
  clock.now += 30_001;
  holder.token();
  assert.equal(asked.length, 2);
});

test('a renewal that ends after a switch or a sign-out brings nothing back', async () => {
  for (const next of [token('b', 'other'), undefined]) {
    const { asked, holder } = started();
    holder.set(token('a'));
    const renewal = holder.renew();
    holder.set(next);
    asked[0]?.answer.resolve(token('c'));
    await renewal;
    assert.equal(holder.token()?.token, next?.token);
  }
});

test('a refused token that has been renewed meanwhile is replaced, also by another tab', async () => {
  const storage = memory();
  const { holder, asked } = started({ storage });
  const other = started({ storage }).holder;
  const [first, second] = [token('a'), token('b')];
  holder.set(first);
  other.set(second);
  assert.deepEqual((await holder.replacementOf(first, refused('token_invalid'))).token, second.token);
  assert.equal(asked.length, 0);
});

test('an expired token is renewed if the platform does so, once for all calls that it refused', async () => {
  const { holder, asked } = started();
  const [first, second] = [token('a'), token('b')];
  holder.set(first);
  const both = [1, 2].map(() => holder.replacementOf(first, refused('token_expired')));
  await new Promise(setImmediate);
  assert.equal(asked.length, 1);
  asked[0]?.answer.resolve(second);
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
