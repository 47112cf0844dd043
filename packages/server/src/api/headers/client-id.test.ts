import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRaw } from '../testing/raw-request.ts';
import { requireClientId } from './client-id.ts';

const once = 'client_unknown: the header `client_id` must be sent once';
const viaProxy = 'and a word about proxies';
const differ = 'invalid_request: the headers `client_id` and `client-id` differ';

const cases: readonly (readonly [lines: readonly string[], outcome: string | RegExp])[] = [
  [['client_id: a'], 'a'],
  [['client-id: a'], 'a'],
  [['Client-Id: a', 'CLIENT_ID: a'], 'a'],
  [['client_id: a', 'client-id: b'], differ],
  [['client_id:', 'client-id: b'], differ],
  [['client_id: a', 'client_id: b', 'client-id: a'], differ],
  [['client-id: a', 'client-id: b'], once],
  [['client-id:'], once],
  [['client_id: a', 'client_id: a', 'X-Forwarded-For: 192.0.2.1'], once],
  [[], once],
  [['clientid: a'], once],
  ...['Forwarded: for=192.0.2.1', 'Via: 1.1 proxy', 'X-Real-IP: 192.0.2.1', 'X-Forwarded-Proto: https'].map(
    (line) => [[line], viaProxy] as const,
  ),
];

for (const [lines, outcome] of cases)
  test(`the headers ${JSON.stringify(lines)} name ${outcome}`, async () => {
    assert.equal(await outcomeOf(['GET / HTTP/1.1', ...lines]), outcome);
  });

test('a call by HTTP/1.0, as nginx makes it, gets the hint about proxies', async () => {
  assert.equal(await outcomeOf(['GET / HTTP/1.0']), viaProxy);
});

function outcomeOf(lines: readonly string[]): Promise<string> {
  return readRaw(lines, requireClientId).catch(({ code, message }: Error & { readonly code: string }) => {
    const refusal = `${code}: ${message}`;
    if (!refusal.startsWith(`${once}:`)) return refusal;
    assert.match(refusal, /came through a proxy, .*`underscores_in_headers on`.*`client-id`/);
    return viaProxy;
  });
}
