import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../lib/problem.ts';
import { thinned } from '../store/testing/quick.ts';
import { readTarget } from './canonical-path.ts';

/** RFC 3986, 2.3, written out: what a path may be made of beside its slashes. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~';

/** The rule in its plainest words. */
function isCanonical(path: string): boolean {
  if (path === '/') return true;
  const [before, ...segments] = path.split('/');
  const isSegment = (segment: string): boolean =>
    segment !== '' && segment !== '.' && segment !== '..' && [...segment].every((one) => alphabet.includes(one));
  return before === '' && segments.length > 0 && segments.every(isSegment) && path.length <= 512;
}

function isTaken(url: string): boolean {
  try {
    readTarget(url);
    return true;
  } catch (error) {
    assert.ok(error instanceof Problem && error.code === 'invalid_request', String(error));
    return false;
  }
}

const tricky = fc.constantFrom(
  '/',
  '/',
  '.',
  '..',
  'a',
  'Z',
  '~',
  '%2F',
  '%2e',
  ';',
  '\\',
  ' ',
  '\0',
  'é',
  '#',
  ':',
  '*',
  '@',
);
const anyPath = fc.oneof(
  fc.array(tricky, { maxLength: 8 }).map((parts) => parts.join('')),
  fc.array(tricky, { maxLength: 8 }).map((parts) => `/${parts.join('')}`),
  fc.string({ unit: 'binary' }),
);

test('exactly the canonical paths are taken, as they are', () => {
  const property = fc.property(
    anyPath.filter((path) => !path.includes('?')),
    (path) => {
      assert.equal(isTaken(path), isCanonical(path), JSON.stringify(path));
      if (isCanonical(path)) assert.deepEqual(readTarget(path), { path, query: '' });
    },
  );
  fc.assert(property, { numRuns: thinned(5000) });
});

test('of all characters a segment takes exactly the unreserved ones', () => {
  for (let code = 0; code <= 0xffff; code++) {
    const character = String.fromCharCode(code);
    if (character === '/' || character === '?') continue;
    assert.equal(isTaken(`/a${character}a`), alphabet.includes(character), `U+${code.toString(16)}`);
  }
});

test('the query begins at the first question mark', () => {
  assert.deepEqual(readTarget('/a?b=c?d'), { path: '/a', query: 'b=c?d' });
  assert.deepEqual(readTarget('/?'), { path: '/', query: '' });
  assert.equal(isTaken('?a=b'), false);
});

for (const path of ['*', 'http://localhost/a', '//localhost/a', '/a/', '/a//b', '/./a', '/a/..', '/a/../b', '/a/.', ''])
  test(`the target \`${path}\` is refused`, () => assert.equal(isTaken(path), false));

for (const path of ['/.well-known/jwks.json', '/...', '/a/.b', '/a..', `/${'a'.repeat(511)}`])
  test(`the target \`${path.slice(0, 30)}\` is taken`, () => assert.equal(isTaken(path), true));

test('a path that is too long is refused', () => {
  assert.equal(isTaken(`/${'a'.repeat(512)}`), false);
  assert.equal(isTaken(`/a?${'q'.repeat(2000)}`), true);
});
