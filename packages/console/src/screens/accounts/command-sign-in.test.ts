import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callbackAddress, completeSignIn, readCommandSignIn } from './command-sign-in.ts';

const challenge = 'c'.repeat(43);
const state = 's'.repeat(43);

test('an address of a command is read, and of a changed one what no command sends is left out', () => {
  const request = { challenge, port: 40_123, state, name: 'laptop-7', org: 'acme' };
  assert.deepEqual(completeSignIn(readCommandSignIn(request), true), request);
  for (const port of [0, 80, 65_536, 1.5, '40123', '127.0.0.1:80', '@stranger.example', null])
    assert.equal(completeSignIn(readCommandSignIn({ ...request, port }), true), undefined, String(port));
  for (const changed of [{ challenge: 'short' }, { challenge: undefined }, { state: '' }, { state: `${state}&code=x` }])
    assert.equal(completeSignIn(readCommandSignIn({ ...request, ...changed }), true), undefined);
  assert.equal(completeSignIn(readCommandSignIn({ ...request, name: '<b>laptop</b>' }), true)?.name, 'unknown');
});

test('an answer goes to this machine alone', () => {
  const url = new URL(callbackAddress(40_123, { code: 'a/b?c@d', state }));
  assert.deepEqual([url.protocol, url.host, url.pathname], ['http:', '127.0.0.1:40123', '/callback']);
  assert.equal(url.searchParams.get('code'), 'a/b?c@d');
});
