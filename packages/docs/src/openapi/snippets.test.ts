import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { curlOf, fetchOf, type Request } from './snippets.ts';

const url = 'http://127.0.0.1/app/acme/create/order?view=default';
const hostile = `{"title":"it's \\"$(id)\\" \`id\` ${'\u2028'}"}`;
const create: Request = {
  method: 'POST',
  url,
  headers: { 'Idempotency-Key': `a'b` },
  body: { type: 'application/json', text: hostile },
  takesToken: true,
};

/** What a shell makes of the snippet: the words that curl would get. */
function wordsOf(snippet: string): readonly string[] {
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${snippet}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

test('a shell passes what was filled in to curl as it stands, and the token from its variable', () => {
  assert.deepEqual(wordsOf(curlOf(create)), [
    ...['-i', '-X', 'POST', url],
    ...['-H', 'Authorization: Bearer …'],
    ...['-H', `Idempotency-Key: a'b`],
    ...['-H', 'Content-Type: application/json'],
    ...['--data-binary', hostile],
  ]);
});

test('a route without a token has no line for one', () => {
  const read: Request = { method: 'GET', url, headers: {}, takesToken: false };
  assert.deepEqual(wordsOf(curlOf(read)), ['-i', url]);
  assert.doesNotMatch(fetchOf(read), /TOKEN|headers/);
});

test('the script for fetch sends what was filled in as it stands', async () => {
  const calls: unknown[] = [];
  const fetched = async (...given: unknown[]) => {
    calls.push(given);
    return new Response('ok', { status: 201 });
  };
  const lines: unknown[] = [];
  const run = new Function('fetch', 'console', `return (async () => {${fetchOf(create)}})()`);
  await run(fetched, { log: (...line: unknown[]) => lines.push(line) });
  const headers = { Authorization: 'Bearer …', 'Idempotency-Key': `a'b`, 'Content-Type': 'application/json' };
  assert.deepEqual(calls, [[url, { method: 'POST', headers, body: hostile }]]);
  assert.deepEqual(lines, [[201, 'ok']]);
});
