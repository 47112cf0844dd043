/** Large replies are compressed for clients that take it, and mean the same. */
import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { appUrl, create, defineEntity, definition, foundedOrg, manage } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
const fields = Array.from({ length: 190 }, (_, index) => ({
  name: `field_of_a_wide_entity_that_has_a_long_name_${index}`,
  colType: 'string',
  validate: true,
}));
await defineEntity(org, definition('wide', fields));
await defineEntity(org, definition('note', [{ name: 'title' }]));
for (let index = 0; index < 20; index++) await create(founder, 'note', { title: `${index} `.repeat(500) });
const gzip = { 'accept-encoding': 'gzip, deflate, br' };

interface Sent {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** What comes over the wire. */
async function get(url: string, headers: OutgoingHttpHeaders, method = 'GET'): Promise<Sent> {
  const { promise, resolve, reject } = Promise.withResolvers<Sent>();
  const sending = request(url, { method, headers, agent: false }, (response) => {
    response
      .toArray()
      .then((pieces) =>
        resolve({ status: response.statusCode, headers: response.headers, bytes: Buffer.concat(pieces) }),
      )
      .catch(reject);
  });
  sending.on('error', reject).end();
  return promise;
}

const ofFounder = { authorization: `Bearer ${founder.token}` };
const ofBuilder = { authorization: `Bearer ${org.builder.token}` };
const ofConsole = { cookie: `freehold=${org.builder.token}` };
const documents = [
  [`${org.management}/openapi.json`, {}],
  [`${org.management}/openapi.json`, ofConsole],
  [`${org.management}/api/openapi.json?env=test`, ofBuilder],
  [`${org.management}/api/openapi.json?env=test`, ofConsole],
  [appUrl(org, '/openapi.json'), ofFounder],
  [appUrl(org, '/openapi.json?view=compact'), ofFounder],
] as const;

test('the documents are compressed, also for the session of the console, and mean the same', async () => {
  for (const [url, as] of documents) {
    const plain = await get(url, as);
    const packed = await get(url, { ...as, ...gzip });
    assert.deepEqual([plain.status, plain.headers['content-encoding']], [200, undefined], url);
    assert.deepEqual([packed.status, packed.headers['content-encoding']], [200, 'gzip'], url);
    assert.ok(gunzipSync(packed.bytes).equals(plain.bytes), url);
    assert.ok(packed.bytes.length * 4 < plain.bytes.length, `${packed.bytes.length} of ${plain.bytes.length} bytes`);
    assert.equal(packed.headers['content-length'], String(packed.bytes.length));
    for (const { headers } of [plain, packed]) assert.equal(headers.vary, 'Origin, Accept-Encoding');
    const { etag = '' } = plain.headers;
    assert.equal(packed.headers.etag, etag.replace(/"$/, '.gz"'));
    for (const named of [etag, packed.headers.etag]) {
      const again = await get(url, { ...as, ...gzip, 'if-none-match': named });
      assert.deepEqual([again.status, again.headers.etag, again.bytes.length], [304, named, 0], url);
    }
    const head = await get(url, { ...as, ...gzip }, 'HEAD');
    assert.deepEqual(
      [head.headers['content-length'], head.headers.etag],
      [String(packed.bytes.length), packed.headers.etag],
    );
  }
});

test('a long list is compressed for a token, and a short reply and a client that takes none get it as it is', async () => {
  const url = appUrl(org, '/list/note');
  const plain = await get(url, ofFounder);
  const packed = await get(url, { ...ofFounder, ...gzip });
  assert.deepEqual([packed.status, packed.headers['content-encoding']], [200, 'gzip']);
  assert.ok(gunzipSync(packed.bytes).equals(plain.bytes));
  assert.equal(plain.headers['content-encoding'], undefined);
  for (const accept of ['gzip;q=0', 'identity, gzip;q=0.5', 'br'])
    assert.equal((await get(url, { ...ofFounder, 'accept-encoding': accept })).headers['content-encoding'], undefined);
  const short = await get(`${url}?pagesize=1`, { ...ofFounder, ...gzip });
  assert.deepEqual([short.headers['content-encoding'], short.headers.vary], [undefined, 'Origin, Accept-Encoding']);
});

test('configuration is compressed for a token, and changed under the tag that it came with', async () => {
  const url = `${org.management}/config/entity/wide`;
  const { headers, bytes } = await get(url, { ...ofBuilder, ...gzip });
  assert.equal(headers['content-encoding'], 'gzip');
  assert.match(headers.etag ?? '', /^"\d+\.gz"$/);
  const { content } = JSON.parse(gunzipSync(bytes).toString());
  const change = (tag = '') =>
    manage(org, 'PUT', '/config/entity/wide', { body: content, headers: { 'if-match': tag } });
  assert.equal((await change('"999.gz"')).status, 412);
  const changed = await change(headers.etag);
  assert.equal(changed.status, 200, changed.text);
});

test('the same is never compressed for the session of the console', async () => {
  const url = `${org.management}/config/entity/wide`;
  const { status, headers, bytes } = await get(url, { ...ofConsole, ...gzip });
  assert.deepEqual([status, headers['content-encoding']], [200, undefined]);
  assert.ok(bytes.length >= 16 * 1024);
});

test('exports, single records and replies with a credential are sent as they are', async () => {
  const { id } = await create(founder, 'note', { title: 'a'.repeat(20_000) });
  for (const path of [`/item/note/${id}`, '/export/note']) {
    const { status, headers, bytes } = await get(appUrl(org, path), { ...ofFounder, ...gzip });
    assert.deepEqual([status, headers['content-encoding']], [200, undefined], path);
    assert.ok(bytes.length >= 16 * 1024, path);
  }
});
