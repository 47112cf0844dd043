/** The client library in several workspaces of one user. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApp, type Session, type SessionStorage } from '@freehold/client';
import { defineEntity, definition, newEmail, password } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { multiOrg } from './workspaces.ts';

const gateways = await platformForTests();
const org = await multiOrg(gateways);
await defineEntity(org, definition('note', [{ name: 'text' }]));

function memory(): SessionStorage & { readonly items: Map<string, string> } {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  };
}

const appOf = (storage?: SessionStorage) => createApp({ url: org.app, org: org.code, clientId: org.clientId, storage });

/** A user with the workspaces `one` and `two`, in `one`. */
async function inTwo(storage?: SessionStorage) {
  const app = appOf(storage);
  const email = newEmail('user');
  assert.equal((await app.signIn({ email, password })).tenantCode, null);
  const one = await app.workspaces.create({ name: 'One' });
  const two = await app.workspaces.create({ name: 'Two' });
  await app.workspaces.switchTo(one.code);
  return { app, email, one, two };
}

test('a user makes workspaces, and the session moves where it is told to', async () => {
  const { app, one, two } = await inTwo();
  assert.equal(app.session?.tenantCode, one.code);
  const listed = await app.workspaces.list();
  assert.deepEqual(
    listed.map(({ code, current }) => [code, current]).toSorted(),
    [
      [one.code, true],
      [two.code, false],
    ].toSorted(),
  );
  await app.entity('note').create({ text: 'in one' });
  const seen: (string | null | undefined)[] = [];
  app.onSessionChange((session) => seen.push(session?.tenantCode));
  await app.workspaces.switchTo(two.code);
  assert.deepEqual(seen, [two.code]);
  assert.deepEqual((await app.entity('note').list()).items, []);
  await assert.rejects(app.workspaces.switchTo('nowhere'), { code: 'not_found' });
  assert.equal(app.session?.tenantCode, two.code);
});

test('two workspaces are used side by side, each with a token of its own', async () => {
  const { app, one, two } = await inTwo();
  const other = await app.inWorkspace(two.code);
  assert.deepEqual([app.session?.tenantCode, other.session?.tenantCode], [one.code, two.code]);
  await Promise.all([app, other, app, other].map((place, index) => place.entity('note').create({ text: `n${index}` })));
  const texts = async (place: typeof app) =>
    (await place.entity('note').list({ sort: 'created_at' })).items.map(({ text }) => text).toSorted();
  assert.deepEqual(
    [await texts(app), await texts(other)],
    [
      ['n0', 'n2'],
      ['n1', 'n3'],
    ],
  );
  assert.equal(await app.inWorkspace(two.code), other);
  await other.signOut();
  assert.equal((await app.inWorkspace(two.code)).session?.tenantCode, two.code);
  await assert.rejects(app.inWorkspace('nowhere'), { code: 'not_found' });
});

test('switches that are asked for at once end in the last one, here and for the next sign-in', async () => {
  const { app, email, one, two } = await inTwo();
  await Promise.all([two, one, two, one, two].map(({ code }) => app.workspaces.switchTo(code)));
  assert.equal(app.session?.tenantCode, two.code);
  assert.equal((await appOf().signIn({ email, password })).tenantCode, two.code);
});

test('a token is renewed in its own workspace, whatever another program of the user has chosen since', async (context) => {
  const { app, email, one, two } = await inTwo();
  const elsewhere = appOf();
  await elsewhere.signIn({ email, password });
  await elsewhere.workspaces.switchTo(two.code);
  const renewed = new Promise<Session | undefined>((resolve) => app.onSessionChange(resolve));
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 40 * 3_600_000 });
  await app.entity('note').list();
  assert.equal((await renewed)?.tenantCode, one.code);
  assert.deepEqual((await app.entity('note').list()).items, []);
});

test('signing out ends the tokens of all workspaces that were entered, and with `everywhere` all others', async () => {
  const { app, email, two } = await inTwo();
  const other = await app.inWorkspace(two.code);
  const elsewhere = appOf();
  await elsewhere.signIn({ email, password });
  await app.signOut();
  assert.deepEqual([app.session, other.session], [undefined, undefined]);
  await assert.rejects(other.entity('note').list(), { code: 'token_missing' });
  assert.deepEqual((await elsewhere.entity('note').list()).items, []);
  await app.signIn({ email, password });
  await app.signOut({ everywhere: true });
  await assert.rejects(elsewhere.entity('note').list(), { code: 'token_invalid' });
});

test('a stored session outlives the program; one that was ended elsewhere is over at its first call', async () => {
  const storage = memory();
  const { app } = await inTwo(storage);
  const later = appOf(storage);
  assert.deepEqual(later.session, app.session);
  assert.deepEqual((await later.entity('note').list()).items, []);
  const stored = new Map(storage.items);
  await app.signOut();
  assert.equal(storage.items.size, 0);
  for (const [key, value] of stored) storage.setItem(key, value);
  const over: string[] = [];
  const { app: url, code, clientId } = org;
  const last = createApp({ url, org: code, clientId, storage, onSignedOut: ({ code }) => over.push(code) });
  await assert.rejects(last.entity('note').list(), { code: 'token_invalid' });
  assert.deepEqual([over, last.session, storage.items.size], [['token_invalid'], undefined, 0]);
});
