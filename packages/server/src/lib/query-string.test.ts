import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readRaw } from '../api/testing/raw-request.ts';
import { readQuery, refuseParameters } from './query-string.ts';

const invalid = { code: 'invalid_request' };

test('a query is read as a form writes it', () => {
  assert.deepEqual([...readQuery('')], []);
  assert.deepEqual(
    [...readQuery('a=1&b=x+y%2B%26%3D&c=&d&=e')],
    [
      ['a', '1'],
      ['b', 'x y+&='],
      ['c', ''],
      ['d', ''],
      ['', 'e'],
    ],
  );
  assert.deepEqual([...readQuery('&&a=1&&')], [['a', '1']]);
  assert.deepEqual([...readQuery('a=b=c')], [['a', 'b=c']]);
  assert.deepEqual(
    [...readQuery('__proto__=1&constructor=2')],
    [
      ['__proto__', '1'],
      ['constructor', '2'],
    ],
  );
});

test('whatever `URLSearchParams` writes is read back', () => {
  const character = fc.constantFrom('a', ' ', '+', '&', '=', '%', '%41', ';', '#', '?', '\u0001', 'é', '\uffff', '😀');
  const text = fc.array(character, { maxLength: 5 }).map((characters) => characters.join(''));
  const parameters = fc.uniqueArray(fc.tuple(text, text), { selector: ([name]) => name, maxLength: 10 });
  const property = fc.property(parameters, (pairs) => {
    const query = new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString();
    assert.deepEqual([...readQuery(query)], pairs);
  });
  fc.assert(property);
});

for (const query of ['a=1&a=2', 'a&a', 'a=1&%61=2', 'a=%', 'a=%zz', 'a=%C3', 'a=%ED%A0%80', 'a=%FF', 'a=%00', '%00=a'])
  test(`the query \`${query}\` is refused`, () => {
    assert.throws(() => readQuery(query), invalid);
  });

test('characters that are not percent-encoded are refused, not read as something else', async () => {
  for (const query of ['a=é', 'a=Ã', 'a= b', 'a=\u007f', 'é=1']) assert.throws(() => readQuery(query), invalid);
  const sent = readRaw(['GET /?title=é HTTP/1.1'], ({ url = '' }) => readQuery(url.slice(2)));
  await assert.rejects(sent);
});

test('a query has at most 64 parameters', () => {
  const query = (count: number) => Array.from({ length: count }, (_, index) => `p${index}=`).join('&');
  assert.equal(readQuery(query(64)).size, 64);
  assert.throws(() => readQuery(query(65)), invalid);
});

test('a route without parameters takes the default view and nothing else', () => {
  refuseParameters(new Map());
  refuseParameters(new Map([['view', 'default']]), ['view']);
  assert.throws(() => refuseParameters(new Map([['view', 'default']])), invalid);
  assert.throws(() => refuseParameters(new Map([['x', '']])), invalid);
});
