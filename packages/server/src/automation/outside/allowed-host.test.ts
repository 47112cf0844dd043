import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encoded, stepAddress } from '../blocks/steps/effect-steps.ts';
import { assertHost, matchesHost } from './outside-http.ts';

for (const [pattern, address, expected] of [
  ['api.example.com', 'https://api.example.com/', true],
  ['api.example.com', 'https://API.Example.COM:8443/', true],
  ['api.example.com', 'https://api.example.com.evil.io/', false],
  ['api.example.com', 'https://api.example.com@evil.io/', false],
  ['api.example.com', 'https://evil.io/api.example.com', false],
  ['api.example.com', 'https://xapi.example.com/', false],
  ['*.example.com', 'https://a.example.com/', true],
  ['*.example.com', 'https://b.a.example.com/', true],
  ['*.example.com', 'https://example.com/', false],
  ['*.example.com', 'https://evilexample.com/', false],
  ['*.example.com', 'https://example.com.evil.io/', false],
  ['*.example.com', 'https://a.example.com@evil.io/', false],
  ['*.example.com', 'https://a.example.com:x@evil.io/', false],
  ['*.example.com', 'https://a.example.com./', false],
  ['*.example.com', 'https://.example.com/', false],
  ['*.example.com', 'https://a..example.com/', false],
  ['*.example.com', 'https://a.example.com/#x', false],
  ['*.example.com', 'https://a.exämple.com/', false],
  ['*.xn--exmple-cua.com', 'https://a.exämple.com/', true],
  ['*.example.com', 'https://a.example。com/', true],
  ['*.example.com', 'https://a.ｅxample.com/', true],
  ['*.0.0.1', 'https://127.0.0.1/', false],
  ['127.0.0.1', 'https://0x7f.1/', true],
  ['127.0.0.1', 'https://[::ffff:127.0.0.1]/', false],
  ['localhost', 'https://localhost/', true],
] as const)
  test(`K10 ${pattern} ${expected ? 'allows' : 'does not allow'} ${address}`, () => {
    const allow = (): void => assertHost(new URL(address), [pattern]);
    if (expected) allow();
    else assert.throws(allow, { code: 'block_failed' });
    assert.throws(() => assertHost(new URL(address), [pattern], []), { code: 'block_failed' });
  });

test('K10 a host is in each of the lists, or not called', () => {
  const url = new URL('https://a.example.com/');
  assertHost(url, ['*.example.com', 'b.example.com'], ['a.example.com']);
  assert.throws(() => assertHost(url, ['*.example.com'], ['b.example.com']), { code: 'block_failed' });
  assert.throws(() => assertHost(url, []), { code: 'block_failed' });
  assert.ok(!matchesHost('*', 'a.example.com'));
});

const literal = new URL('https://a.example:8443/v1/x/parts/x?q=x');

for (const [first, last, expected] of [
  ['1', '2', 'https://a.example:8443/v1/1/parts/2?q=2'],
  ['a/b', 'c&d=e', 'https://a.example:8443/v1/a%2Fb/parts/c%26d%3De?q=c%26d%3De'],
  ['a%2Fb', '#?', 'https://a.example:8443/v1/a%252Fb/parts/%23%3F?q=%23%3F'],
  ['…', '..x', 'https://a.example:8443/v1/%E2%80%A6/parts/..x?q=..x'],
  ['..', '2', undefined],
  ['.', '2', undefined],
  ['', '2', undefined],
  ['1', '..', undefined],
  ['../../admin', '2', undefined],
  ['a\\..\\b', '2', undefined],
  ['a/./b', '2', undefined],
] as const)
  test(`K10 the values ${JSON.stringify([first, last])} in an address ${expected ? 'stay values' : 'are refused'}`, () => {
    const address = (): string => {
      const text = `https://a.example:8443/v1/${encoded(first)}/parts/${encoded(last)}?q=${encoded(last)}`;
      return stepAddress(text, literal).href;
    };
    if (expected === undefined) assert.throws(address, { code: 'block_failed' });
    else assert.equal(address(), expected);
  });

for (const address of [
  'https://b.example/v1/x/parts/x',
  'http://a.example:8443/v1/x/parts/x',
  'https://a.example/v1/x/parts/x',
  'https://u@a.example:8443/v1/x/parts/x',
  'https://a.example:8443/v1/x/parts/x#y',
  'https://a.example:8443/v1/x/parts/x/y',
  'https://a.example:8443/v1/%2e%2E/parts/x',
  'https://a.example:8443/v1/a%2f..%2Fb/parts/x',
  'x',
])
  test(`K10 ${address} is another address than was written`, () => {
    assert.throws(() => stepAddress(address, literal), { code: 'block_failed' });
  });
