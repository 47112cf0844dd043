import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { test } from 'node:test';
import { type AppUser, appUrl, count, defineEntity, definition, foundedOrg, random } from './org.ts';
import { platformOfFile } from './platform-for-tests.ts';
import { type ImportResult, importFile, jsonLines, jsonl, transfer } from './transfer-calls.ts';

const gateways = await platformOfFile();
const { org, founder } = await foundedOrg(gateways);

/** An entity of the test's own. */
async function newEntity(): Promise<string> {
  const name = `order_${random()}`;
  await defineEntity(org, {
    ...definition(name, [{ name: 'number' }, { name: 'title', validate: true }]),
    UniqueIndexes: [{ indexName: 'by_number', fields: ['number'] }],
  });
  return name;
}

const numbered = (length: number, start = 0) =>
  Array.from({ length }, (_, index) => ({ number: `N${start + index}`, title: `title ${start + index}` }));

/** An import whose body is sent bit by bit. */
function sending(user: AppUser, path: string, headers: Readonly<Record<string, string>> = {}): ClientRequest {
  return request(appUrl(user.org, `/import/${path}`), {
    method: 'POST',
    headers: { ...jsonl, authorization: `Bearer ${user.token}`, ...headers },
  });
}

/** A slow reader finds several lines at once, or a part of one. */
async function firstLine(response: IncomingMessage): Promise<{ readonly first: string; readonly rest: string }> {
  response.setEncoding('utf8');
  let text = '';
  while (!text.includes('\n')) text += String((await once(response, 'data'))[0]);
  const end = text.indexOf('\n');
  return { first: text.slice(0, end), rest: text.slice(end + 1) };
}

test('a client that accepts it gets the progress of an import while the file is still being sent', async () => {
  const own = await newEntity();
  const client = sending(founder, own, { accept: 'application/x-ndjson' });
  const answered = once(client, 'response');
  client.write(jsonLines(numbered(1500)));
  const [response] = await answered;
  assert.equal(response.statusCode, 200);
  assert.equal(response.headers['content-type'], 'application/x-ndjson');
  const { first, rest } = await firstLine(response);
  const { rows } = JSON.parse(first).progress;
  // After a thousand rows, or earlier where these took long.
  assert.ok(rows >= 100 && rows <= 1000, first);
  assert.deepEqual(JSON.parse(first), { progress: { rows, created: rows, updated: 0, failed: 0 } });
  assert.ok((await count(founder, own)) >= rows);
  client.end(jsonLines([...numbered(700, 1500), {}]));
  let text = rest;
  for await (const part of response) text += part;
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const { result } = lines.at(-1);
  assert.deepEqual(
    [result.rows, result.created, result.errors.map(({ row }: { readonly row: number }) => row)],
    [2201, 2200, [2201]],
  );
  assert.ok(lines.slice(0, -1).every((line) => line.progress.rows > rows));
});

test('a file may be longer than any other body, and its answer is one object unless lines are asked for', async () => {
  const own = await newEntity();
  const rows = numbered(3000).map((row) => ({ ...row, title: 'x'.repeat(500) }));
  const body = jsonLines(rows);
  assert.ok(body.length > 1.5 * 1024 * 1024);
  const reply = await transfer<ImportResult>(founder, `/import/${own}`, {
    method: 'POST',
    body,
    headers: { ...jsonl, accept: 'application/json, application/x-ndjson;q=0.5' },
  });
  assert.match(reply.headers.get('content-type') ?? '', /^application\/json/);
  assert.deepEqual([reply.body.rows, reply.body.created], [3000, 3000]);
  assert.equal(await count(founder, own), 3000);
});

test('of a file that breaks off stands what was written, and with upsert it can be sent again', async () => {
  const own = await newEntity();
  const client = sending(founder, own, { accept: 'application/x-ndjson' });
  const answered = once(client, 'response');
  client.write(jsonLines(numbered(1100)));
  const [response] = await answered;
  const { rows } = JSON.parse((await firstLine(response)).first).progress;
  response.on('error', () => undefined);
  client.on('error', () => undefined);
  client.destroy();
  const result = await importFile(founder, `${own}?upsert=by_number`, jsonLines(numbered(1100)));
  assert.equal(result.created + result.updated, 1100);
  assert.ok(result.updated >= rows);
  assert.equal(await count(founder, own), 1100);
});
