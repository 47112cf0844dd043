/** The client library in a page of an app: bundled, on an origin of its own, in a real browser. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { bundle } from '../../../../client/build/bundle.ts';
import { create, defineEntity, definition, foundedOrg, newEmail, password, signUp } from '../../org.ts';
import { putSetting } from '../../workspaces.ts';
import { consolePlatform, skip, watchedContext } from '../browser.ts';

const platform = skip === false ? await consolePlatform() : undefined;

/** Serves an app's page with the client as its build would. */
async function servePage(): Promise<string> {
  const code = await bundle();
  const server = createServer(({ url }, response) => {
    const isScript = url === '/client.js';
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? code : '<!doctype html><title>An app</title><link rel="icon" href="data:," />');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a page signs a user in, lists, and meets a conflict, across origins; two tabs share the session', {
  skip,
}, async () => {
  assert.ok(platform);
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, definition('note', [{ name: 'text' }]));
  await create(founder, 'note', { text: 'first' });
  const origin = await servePage();
  await putSetting(org, 'auth', 'allowed_domains', [origin]);
  const given = { url: platform.app, org: org.code, clientId: org.clientId, email: founder.email, password };
  const { context, newPage } = await watchedContext(platform);
  const [tab, other] = [await newPage(), await newPage()];
  for (const page of [tab, other]) await page.goto(origin);

  const seen = await tab.evaluate(async ({ email, password, ...options }) => {
    const script = '/client.js';
    const { createApp, VersionConflictError } = await import(script);
    const app = createApp({ ...options, storage: localStorage });
    Object.assign(globalThis, { app });
    await app.signIn({ email, password });
    const notes = app.entity('note');
    const [first] = (await notes.list()).items;
    const changed = await notes.update(first.id, { text: 'second' }, { ifMatch: first });
    const conflict = await notes
      .update(first.id, { text: 'third' }, { ifMatch: first })
      .catch((error: unknown) => error);
    const wrong = await notes.create({ other: 1 }).catch((error: unknown) => error);
    return {
      email: app.session.email,
      text: changed.text,
      isConflict: conflict instanceof VersionConflictError,
      code: conflict.code,
      wrong: [wrong.code, wrong.requestId === undefined],
      count: await notes.count(),
    };
  }, given);
  assert.deepEqual(seen, {
    email: founder.email,
    text: 'second',
    isConflict: true,
    code: 'version_mismatch',
    wrong: ['unknown_field', false],
    count: 1,
  });

  const inOther = await other.evaluate(async (options) => {
    const script = '/client.js';
    const { createApp } = await import(script);
    const app = createApp({ ...options, storage: localStorage });
    const ended = new Promise((resolve) => app.onSessionChange(resolve));
    Object.assign(globalThis, { ended });
    return [app.session?.email, (await app.entity('note').list()).items.length];
  }, given);
  assert.deepEqual(inOther, [founder.email, 1]);
  await tab.evaluate(() => (globalThis as unknown as { app: { signOut(): Promise<void> } }).app.signOut());
  const last = await other.evaluate(
    async () => (await (globalThis as { ended?: Promise<unknown> }).ended) ?? 'signed out',
  );
  assert.equal(last, 'signed out');
  await context.close();
});

test('a page of an origin that the app does not list gets no reply that it can read', { skip }, async () => {
  assert.ok(platform);
  const org = await signUp(platform);
  await putSetting(org, 'auth', 'allowed_domains', ['https://app.example.com']);
  const origin = await servePage();
  const { context, newPage } = await watchedContext(platform);
  const page = await newPage();
  await page.goto(origin);
  const code = await page.evaluate(
    async ({ email, password, ...options }) => {
      const script = '/client.js';
      const { createApp } = await import(script);
      const app = createApp({ ...options, retries: 0 });
      return app.signIn({ email, password }).catch((error: { readonly code: string }) => error.code);
    },
    { url: platform.app, org: org.code, clientId: org.clientId, email: newEmail('user'), password },
  );
  assert.equal(code, 'network');
  await context.close();
});
