/** The hooks of `@freehold/react` on a page of their own, against a started platform. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import type { Page, Request, Route } from 'playwright-core';
import { createServer } from 'vite';
import { call } from '../../call.ts';
import { assertBecomes } from '../../eventually.ts';
import { allowIssuers, clientAtProvider, personAt, startIdentityProvider } from '../../identity-provider.ts';
import { codeTo } from '../../mails.ts';
import {
  type AppUser,
  act,
  allow,
  appUrl,
  create,
  defineEntity,
  definition,
  foundedOrg,
  list,
  memberWith,
  type Org,
  password,
  signIn,
  withCondition,
} from '../../org.ts';
import { startPlatform } from '../../platform.ts';
import { assertAccessible } from '../accessibility.ts';
import { endWithFiles, openBrowser, skip } from '../browser.ts';

interface Fixture {
  readonly pageUrl: string;
  readonly org: Org;
  readonly founder: AppUser;
  readonly ann: AppUser;
  readonly bob: AppUser;
}

const notesOfAnn = Array.from({ length: 12 }, (_, index) => `ann ${index + 1}`);

async function serveFixture(): Promise<Fixture> {
  const platform = await startPlatform();
  const root = join(import.meta.dirname, '../../../../react/testing');
  const server = await createServer({
    root,
    configFile: false,
    cacheDir: join(import.meta.dirname, `../../../../../node_modules/.cache/hooks-page-${process.pid}`),
    server: { host: 'localhost', port: 0, fs: { allow: [join(import.meta.dirname, '../../../../..')] } },
    logLevel: 'warn',
  });
  await server.listen();
  endWithFiles();
  after(async () => {
    await server.close();
    await platform.kill();
  });
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, definition('note', [{ name: 'title' }, { name: 'holder', index: true }]));
  const ofHolder = (holder: string) => [
    withCondition(allow(['getnote', 'listnote', 'countnote', 'updatenote']), {
      StringEquals: { 'record.holder': [holder] },
    }),
  ];
  const [ann, bob] = [await memberWith(founder, ofHolder('ann')), await memberWith(founder, ofHolder('bob'))];
  for (const title of notesOfAnn) await create(founder, 'note', { title, holder: 'ann' });
  await create(founder, 'note', { title: 'bob 1', holder: 'bob' });
  return { pageUrl: server.resolvedUrls?.local[0] ?? '', org, founder, ann, bob };
}

const fixture = skip === false ? await serveFixture() : undefined;

async function openPage(context: TestContext, screen = ''): Promise<Page> {
  assert.ok(fixture);
  const { org, pageUrl } = fixture;
  const page = await (await openBrowser(context, { app: org.app, management: pageUrl })).newPage();
  const query = new URLSearchParams({ url: org.app, org: org.code, client: org.clientId });
  await page.goto(`${pageUrl}?${query}${screen}`);
  await page.getByText('user: none').waitFor();
  return page;
}

async function signInOn(page: Page, user: AppUser | undefined): Promise<void> {
  const credentials = { email: user?.email, password };
  await page.evaluate(`app.signIn(${JSON.stringify(credentials)}).then(() => undefined)`);
  await page.getByText(`user: ${user?.email}`).waitFor();
}

/** Holds the calls of this kind until they are let go, one way or the other. */
async function hold(page: Page, url: RegExp, method = 'GET') {
  const held = Promise.withResolvers<Request>();
  const gate = Promise.withResolvers<void>();
  const handler = async (route: Route) => {
    if (route.request().method() !== method) return route.continue();
    held.resolve(route.request());
    await gate.promise;
    // The page may have given the call up meanwhile.
    await route.continue().catch(() => undefined);
  };
  await page.route(url, handler);
  const release = async () => {
    await page.unroute(url, handler);
    gate.resolve();
  };
  return { held: held.promise, release };
}

/** All that the cache holds: keys, answers and writes. */
function cached(page: Page): Promise<string> {
  return page.evaluate(`JSON.stringify([
    cache.getQueryCache().getAll().map(({ queryKey, state }) => [queryKey, state.data]),
    cache.getMutationCache().getAll().map(({ options, state }) => [options.mutationKey, state.data, state.variables]),
  ])`);
}

test('what is asked of many records in one render is one call, and each answer is that of its record', {
  skip,
}, async (context) => {
  const page = await openPage(context);
  const requests: Request[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('/access/v1/')) requests.push(request);
  });
  await signInOn(page, fixture?.ann);
  const items = page.getByRole('listitem');
  await items.filter({ hasText: 'update:true delete:false' }).nth(11).waitFor();
  await assertBecomes(() => requests.length, 1);
  assert.equal(requests[0]?.postDataJSON().evaluations.length, 2 * notesOfAnn.length);
  await page.getByText('may create: false').waitFor();
  await page.getByText('count: 12').waitFor();
});

test('another user never sees the records of the one before, not even while his own are on their way', {
  skip,
}, async (context) => {
  const page = await openPage(context, '&always');
  await signInOn(page, fixture?.ann);
  await page.getByText('ann 1', { exact: true }).waitFor();
  const lists = await hold(page, /\/list\/note/);
  await signInOn(page, fixture?.bob);
  await lists.held;
  await assertBecomes(() => page.getByText(/ann \d/).count(), 0);
  const kept = await cached(page);
  assert.ok(!kept.includes('ann 1'), kept);
  assert.ok(!kept.includes(fixture?.ann.id ?? ''), kept);
  await lists.release();
  await page.getByText('bob 1', { exact: true }).waitFor();
  await assertBecomes(() => page.getByText(/ann \d/).count(), 0);
});

test('an answer that comes after the user has changed is dropped', { skip }, async (context) => {
  const page = await openPage(context, '&always');
  const lists = await hold(page, /\/list\/note/);
  await signInOn(page, fixture?.ann);
  await lists.held;
  await page.evaluate('app.signOut()');
  await page.getByText('user: none').waitFor();
  await lists.release();
  await signInOn(page, fixture?.bob);
  await page.getByText('bob 1', { exact: true }).waitFor();
  const kept = await cached(page);
  assert.ok(!kept.includes('ann'), kept);
  await assertBecomes(() => page.getByText(/ann \d/).count(), 0);
});

test('a sign-out clears the cache', { skip }, async (context) => {
  const page = await openPage(context, '&always');
  await signInOn(page, fixture?.ann);
  await page.getByText('ann 1', { exact: true }).waitFor();
  await page.getByText('count: 12').waitFor();
  // A write that is refused leaves what it was to write in the cache.
  await page.getByRole('button', { name: 'Create' }).click();
  await assertBecomes(() => cached(page), /ann 1.*made here/);
  await page.evaluate('app.signOut()');
  await page.getByText('user: none').waitFor();
  const kept = await cached(page);
  assert.ok(!/ann|made here/.test(kept) && !kept.includes(fixture?.ann.id ?? ''), kept);
  await assertBecomes(() => page.getByRole('listitem').count(), 0);
  await page.getByText('count: unknown').waitFor();
});

test('an update is shown at once, says which version it is based on, and is taken back where another was faster', {
  skip,
}, async (context) => {
  assert.ok(fixture);
  const { founder } = fixture;
  const note = await create(founder, 'note', { title: 'draft', holder: 'founder' });
  const page = await openPage(context);
  await signInOn(page, founder);
  await page.getByRole('button', { name: 'Hold draft' }).click();
  await page.getByText('as read: draft').waitFor();
  assert.equal((await act(founder, 'PUT', `/update/note/${note.id}`, { body: { title: 'faster' } })).status, 200);

  const updates = await hold(page, /\/update\/note/, 'PUT');
  await page.getByRole('button', { name: 'Change draft' }).click();
  const sent = await updates.held;
  assert.equal(await sent.headerValue('if-match'), `"${note.version}"`);
  await page.getByText('as read: draft, changed').waitFor();
  await page.getByText('draft, changed', { exact: true }).waitFor();
  const reads = await hold(page, /\/(list|item)\/note/);
  await updates.release();
  await reads.held;
  // Before anything is read again.
  await page.getByText('draft', { exact: true }).waitFor();
  await reads.release();
  const item = page.getByRole('listitem').filter({ hasText: 'faster' });
  await item.getByRole('alert').getByText('conflict').waitFor();
  await item.getByText('as read: faster').waitFor();
  await assertBecomes(() => page.getByText('draft, changed').count(), 0);
});

test('a write has what it may have changed read again: lists, counts and pages', { skip }, async (context) => {
  assert.ok(fixture);
  const page = await openPage(context);
  await signInOn(page, fixture.founder);
  const before = (await list(fixture.founder, 'note', '?pagesize=200')).items.length;
  await page.getByText(`count: ${before}`, { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText(`count: ${before + 1}`, { exact: true }).waitFor();
  const text = await page.getByRole('listitem').filter({ hasText: 'made here' }).textContent();
  const made = /version:(\d+)/.exec(text ?? '')?.[1];
  assert.ok(made !== undefined, text ?? '');
  await page.getByRole('button', { name: 'Change made here' }).click();
  // Shown before the answer, with the version before it: only what is read again has the new one.
  const changed = page.getByRole('listitem').filter({ hasText: 'made here, changed' });
  await changed.filter({ hasNotText: `version:${made} update` }).waitFor();
  await page.getByRole('button', { name: 'Delete made here, changed' }).click();
  await page.getByText(`count: ${before}`, { exact: true }).waitFor();
  await page.getByText('made here, changed').waitFor({ state: 'detached' });
});

test('a list grows by its cursor, and a new workspace has records of its own', { skip }, async (context) => {
  const page = await openPage(context);
  await signInOn(page, fixture?.founder);
  await page.getByText('paged: ann 1,ann 2', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByText('paged: ann 1,ann 2,ann 3,ann 4', { exact: true }).waitFor();
  await page.getByText('workspaces: main', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Make a workspace' }).click();
  await page.getByText('workspace: another').waitFor();
  await page.getByText('count: 0').waitFor();
  await assertBecomes(() => page.getByText(/ann \d/).count(), 0);
  await page.getByText('workspaces: another,main').waitFor();
  await page.getByRole('button', { name: 'Go to main' }).click();
  await page.getByText('ann 1', { exact: true }).waitFor();
});

test('the form to sign in is labelled, says refusals aloud, and offers the providers of the app', {
  skip,
}, async (context) => {
  assert.ok(fixture);
  const { issuer, token, close } = await startIdentityProvider();
  context.after(close);
  await allowIssuers(fixture.org, [{ issuer, audiences: [clientAtProvider] }]);
  const page = await openPage(context);
  const tokens = ['no token', token(personAt('pat', { email: 'pat@example.com' }))];
  await page.exposeFunction('tokenOf', () => tokens.shift());
  const form = page.getByRole('region', { name: 'Welcome' });
  const provider = form.getByRole('button', { name: /^Go to / });
  await provider.waitFor();
  await assertAccessible(page);
  await form.getByLabel('Email').fill(fixture.ann.email);
  await form.getByLabel('Password').fill('not the password');
  await form.getByRole('button', { name: 'Sign in' }).click();
  const refusal = form.getByRole('alert');
  await refusal.getByText('password is not right').waitFor();
  await form.locator('input[type=password]:focus').waitFor();
  await provider.click();
  await refusal.getByText(/token/).waitFor();
  await provider.click();
  await page.getByText('user: pat@example.com').waitFor();
  await page.evaluate('app.signOut()');
  await form.getByLabel('Email').fill(fixture.ann.email);
  await form.getByLabel('Password').fill(password);
  await form.getByLabel('Password').press('Enter');
  await page.getByText(`user: ${fixture.ann.email}`).waitFor();
});

test('the form to sign in says that another account has the address, mails its link again, and goes on with it once it is followed', {
  skip,
}, async (context) => {
  assert.ok(fixture);
  const { org } = fixture;
  const { issuer, token, close } = await startIdentityProvider();
  context.after(close);
  await allowIssuers(org, [{ issuer, audiences: [clientAtProvider] }]);
  const older = await signIn(org);
  const { email } = older;
  const page = await openPage(context);
  await page.exposeFunction('tokenOf', () => token(personAt('joe', { email })));
  const form = page.getByRole('region', { name: 'Welcome' });
  const arrive = () => form.getByRole('button', { name: /^Go to / }).click();
  const notice = 'There is an account under your address. Follow the link that we mailed to use it.';
  await arrive();
  await form.getByText(notice).waitFor();
  await form.locator('p:focus').waitFor();
  await assertAccessible(page);
  await form.getByRole('button', { name: 'Mail the link again' }).click();
  await form.getByRole('status').getByText('The link is on its way.').waitFor();
  await form.getByRole('button', { name: 'Mail the link again' }).click();
  await form
    .getByRole('alert')
    .getByText(/too many mails/)
    .waitFor();
  await page.getByText('user: none').waitFor();
  const userId = () => page.evaluate('app.session?.userId');
  await form.getByRole('button', { name: 'Continue' }).click();
  await page.getByText(`user: ${email}`).waitFor();
  assert.notEqual(await userId(), older.id);
  await page.evaluate('app.signOut()');
  await arrive();
  await form.getByText(notice).waitFor();
  const body = { code: await codeTo(org, email, 'verify-email') };
  const followed = await call('POST', appUrl(org, '/verify-email'), { headers: { client_id: org.clientId }, body });
  assert.equal(followed.status, 204, followed.text);
  await form.getByRole('button', { name: 'Continue' }).click();
  await page.getByText(`user: ${email}`).waitFor();
  assert.equal(await userId(), older.id);
  await page.evaluate('app.signOut()');
  await arrive();
  await page.getByText(`user: ${email}`).waitFor();
});
