import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { appApi } from '@freehold/contract/app';
import { recordRoutes } from '@freehold/contract/app/records';
import { managementApi } from '@freehold/contract/management';
import { problemStatus } from '@freehold/contract/problem';
import MiniSearch from 'minisearch';
import { type MatchedPage, searched, searchOptions } from '../src/client/search-options.ts';
import { searchIndexText } from '../src/site/search-index.ts';
import { brokenLinks } from './broken-links.ts';
import { buildSite } from './site.ts';

const files = await buildSite();
const appPage = 'app-docs.html';
const pages = [...files].filter(([path]) => path.endsWith('.html') && path !== appPage);
const pageOf = (path: string) => files.get(path) ?? assert.fail(`there is no ${path}`);

/** Addresses that others link to. One that goes away breaks their links. */
const stable = [
  'index.html',
  'problems.html',
  'api/index.html',
  'api/app/records.html',
  'api/app/signing-in.html',
  'api/management/entity.html',
  'api/management/deploy.html',
  'decisions/index.html',
  'decisions/0061-how-is-the-console-built-and-delivered.html',
  'guides/access.html',
  'guides/api.html',
  'guides/architecture.html',
  'guides/changelog.html',
  'guides/deploy.html',
  'guides/entities.html',
  'guides/get-started.html',
  'guides/identity.html',
  'guides/operate.html',
  'guides/reference.html',
  'recipes/welcome-mail.html',
];

test('the pages that others link to are there', () => {
  assert.deepEqual(
    stable.filter((path) => !files.has(path)),
    [],
  );
});

test('every page of the repository’s guide is a page of the site, with its title', () => {
  assert.match(pageOf('guides/access-explain.html'), /<h1 id="[^"]+">Asking why<\/h1>/);
  assert.ok(pages.length > 120);
  for (const [path, html] of pages) assert.match(html, /<title>[^<]+ · Freehold<\/title>/, path);
});

test('no link leads nowhere, and none is absolute', () => {
  // The page of an app lies at `/app/{org}/docs`, from where it finds its files.
  const served = new Map([...pages, ...files].map(([path, text]) => [`docs/${path}`, text]));
  served.delete(`docs/${appPage}`);
  served.set('app/acme/docs.html', pageOf(appPage));
  assert.deepEqual(brokenLinks(served), []);
});

test('a link that is broken is found', () => {
  const broken = (link: string) =>
    brokenLinks(
      new Map([
        ['a/b.html', `<a href="${link}"><p id="here">`],
        ['c.html', ''],
      ]),
    );
  for (const link of ['#here', '../c.html', 'b.html#here', 'https://example.com'])
    assert.deepEqual(broken(link), [], link);
  for (const link of ['#gone', '../d.html', '/c.html', '../c.html#here']) assert.equal(broken(link).length, 1, link);
});

test('every route is described once, with its method, path and access', () => {
  const reference = pages
    .filter(([path]) => path.startsWith('api/'))
    .map(([, html]) => html)
    .join('');
  const ids = [...reference.matchAll(/<section class="route" id="([^"]+)"/g)].map(([, id = '']) => id);
  const shared = Object.keys(appApi).filter((name) => name in managementApi);
  const records = Object.keys(recordRoutes).map((action) => `${action}Order`);
  const expected = [...Object.keys(managementApi), ...Object.keys(appApi), ...records];
  assert.deepEqual(ids.toSorted(), expected.toSorted());
  assert.ok(shared.includes('readHealth'));
  const login = pageOf('api/management/account.html');
  assert.match(login, /<span class="method post">POST<\/span> <code>\/auth\/login<\/code> <span class="access"/);
});

test('a body is shown with the members of its members, their types, bounds and whether they are required', () => {
  const html = pageOf('api/app/signing-in.html');
  assert.match(
    html,
    /<code class="member">email<\/code> <span class="type">string, email, at most 254 characters<\/span> <span class="needed">required<\/span>/,
  );
});

test('a route is called with the example of its document, and shows the reply that it has there', () => {
  const [, text = ''] =
    /<section class="route" id="createOrder"([\s\S]*?)<\/section>/.exec(pageOf('api/app/records.html')) ?? [];
  const words = text.replaceAll(/<[^>]*>/g, '');
  assert.match(words, /\.create\(\{\n {2}title: &#39;text&#39;,\n {2}amount: 0,\n {2}status: &#39;open&#39;,\n\}\);/);
  assert.match(words, /201 Reply\{\n {2}&quot;id&quot;: &quot;01900000-[\s\S]*&quot;title&quot;: &quot;text&quot;,/);
});

test('a reply that is long is shown when it is opened', () => {
  const [, text = ''] =
    /<section class="route" id="readEntity"([\s\S]*?)<\/section>/.exec(pageOf('api/management/entity.html')) ?? [];
  assert.match(
    text,
    /<details><summary><span class="status">200<\/span> Reply, \d+ lines<\/summary><div class="code reply">/,
  );
});

test('every problem code has an anchor', () => {
  const html = pageOf('problems.html');
  for (const code of Object.keys(problemStatus)) assert.ok(html.includes(` id="${code}"`), code);
});

test('pages hold no script, no style, no handler and no source map', () => {
  for (const [path, html] of pages) {
    // Code on a page has such words too, as text.
    const tags = (html.match(/<[a-z][^>]*>/gi) ?? []).join('\n');
    assert.doesNotMatch(tags, /<script(?![^>]* src=)|<style|\sstyle=|\son\w+=|javascript:/i, path);
    assert.doesNotMatch(html, /<iframe|<form/, path);
  }
  for (const [path, text] of files) {
    assert.doesNotMatch(path, /\.map$/);
    if (/\.(js|css)$/.test(path)) assert.doesNotMatch(text, /sourceMappingURL/, path);
  }
});

test('scripts write no markup: texts of a document become text', () => {
  for (const [path, text] of files)
    if (path.endsWith('.js'))
      assert.doesNotMatch(text, /\.(inner|outer)HTML\b|insertAdjacentHTML|document\.write|\beval\(/, path);
});

test('nothing of the machine that built it is in a file', () => {
  for (const [path, text] of files)
    assert.ok(!text.includes(import.meta.dirname.slice(0, -'/packages/docs/build'.length)), path);
});

test('the page of an app holds nothing of an app, and no link but to its files', () => {
  const html = pageOf(appPage);
  assert.doesNotMatch(html, /acme|order/);
  for (const [, link = ''] of html.matchAll(/ (?:href|src)="([^"]*)"/g))
    assert.match(link, /^(?:\.\.\/\.\.\/docs\/assets\/|#content)/);
});

test('a sentence is searched for without the words that are on every page, and operators are words', () => {
  const [text = ''] = [...files].filter(([path]) => path.startsWith('assets/search-')).map(([, index]) => index);
  const index = MiniSearch.loadJSON<MatchedPage>(text, searchOptions);
  const idsOf = (query: string) => searched(index, query).map(({ id }) => id);
  const found = idsOf('The pause of an event');
  assert.ok(
    found.some((id) => id.startsWith('guides/events')),
    found.join(),
  );
  assert.deepEqual(found, idsOf('pause event'));
  for (const operator of ['or', 'and', 'not', 'in', 'if']) assert.ok(idsOf(operator).length > 0, operator);
});

test('words that are spread over a page find it, behind the places that have them all', () => {
  const section = (id: string, text: string) => ({ id, heading: id, text });
  const page = (path: string, ...texts: readonly string[]) => ({
    ...{ path, title: path, html: '', headings: [] },
    sections: texts.map((text, place) => section(place === 0 ? '' : `part-${place}`, text)),
  });
  const pages = [
    page('a.html', 'lamps are blue', 'chairs are old'),
    page('b.html', 'lamps and chairs', 'tables'),
    page('c.html', 'lamps', 'tables'),
    page('d.html', 'chairs'),
  ];
  const index = MiniSearch.loadJSON<MatchedPage>(searchIndexText(pages), searchOptions);
  const idsOf = (query: string) => searched(index, query).map(({ id }) => id);
  assert.deepEqual(idsOf('lamps chairs'), ['b.html', 'a.html']);
  assert.deepEqual(idsOf('the blue chair'), ['a.html']);
  assert.deepEqual(idsOf('blue tables'), []);
  assert.deepEqual(idsOf('lamps').toSorted(), ['a.html', 'b.html', 'c.html']);
  assert.deepEqual(idsOf(''), []);
});

test('a search for a feature that there is not leads to the way around it', () => {
  const [text = ''] = [...files].filter(([path]) => path.startsWith('assets/search-')).map(([, index]) => index);
  const index = MiniSearch.loadJSON<MatchedPage>(text, searchOptions);
  for (const [query, place] of [
    ['file upload', 'file-upload'],
    ['attachments', 'file-upload'],
    ['realtime', 'realtime'],
    ['websocket', 'realtime'],
    ['magic link', 'magic-link-one-time-codes-and-passkeys-of-app-users'],
    ['soft delete', 'soft-delete'],
    ['undelete', 'soft-delete'],
    ['double booking', 'double-booking'],
    ['SAML', 'saml-scim-and-ldap'],
  ] as const) {
    const found = searched(index, query)
      .slice(0, 3)
      .map(({ id }) => id);
    assert.ok(found.includes(`guides/not-there-yet.html#${place}`), `${query}: ${found.join(' ')}`);
  }
});

test('a page is small: 40 KB with its scripts and styles by gzip, 20 KB for the frame, and the search index 250 KB', () => {
  const size = (text: string) => gzipSync(text, { level: 9 }).length;
  const frame = [...files].filter(([path]) => /^assets\/(main|theme|theme-button|style|logo)-/.test(path));
  assert.equal(frame.length, 5, frame.map(([path]) => path).join(' '));
  const frameBytes = frame.reduce((sum, [, text]) => sum + size(text), 0);
  assert.ok(frameBytes < 20_000, `${frameBytes}`);
  for (const [path, html] of pages) {
    // One that is small as it is need not be compressed.
    if (Buffer.byteLength(html) + frameBytes < 39_000) continue;
    const bytes = size(html) + frameBytes;
    assert.ok(bytes < 40_000, `${path}: ${bytes}`);
  }
  const [index = ''] = [...files].filter(([path]) => path.startsWith('assets/search-')).map(([, text]) => text);
  assert.ok(size(index) > 10_000 && size(index) < 250_000, `${size(index)}`);
});
