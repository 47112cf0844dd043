import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issuers } from './issuers.ts';

const entry = { issuer: 'https://id.example', audiences: ['client'] };

/** The pointers of what is wrong; undefined where the value is taken, and as it came. */
function wrongIn(value: unknown): readonly string[] | undefined {
  const parsed = issuers.parse(value);
  if ('errors' in parsed) return parsed.errors.map(({ pointer }) => pointer);
  assert.deepEqual(parsed.value, value);
  return undefined;
}

const taken: readonly object[] = [
  {},
  { issuer: 'https://id.example/' },
  { issuer: 'https://id.example:8443/realms/a%20b;x' },
  { issuer: 'http://localhost:9000' },
  { issuer: 'https://id.example/@tenant' },
  { audiences: ['a', 'b'] },
  { jwks_uri: 'https://keys.example/jwks.json' },
  { jwks_uri: 'https://keys.example/keys?p=sign_in' },
  { name: 'Our company' },
  { email_domains: [] },
  { email_domains: ['example.com', 'bücher.example'] },
  { email_verified_as_string: true },
  { email_verified_as_string: false },
];

for (const change of taken)
  test(`an issuer with ${JSON.stringify(change)} is taken as it came`, () => {
    assert.equal(wrongIn([{ ...entry, ...change }]), undefined);
  });

const refused: readonly (readonly [object, string])[] = [
  [{ issuer: undefined }, '/0/issuer'],
  [{ issuer: '' }, '/0/issuer'],
  [{ issuer: 'id.example' }, '/0/issuer'],
  [{ issuer: 'ftp://id.example' }, '/0/issuer'],
  [{ issuer: 'https:id.example' }, '/0/issuer'],
  [{ issuer: 'https:\\\\id.example' }, '/0/issuer'],
  [{ issuer: ' https://id.example' }, '/0/issuer'],
  [{ issuer: 'https://id.example\n' }, '/0/issuer'],
  [{ issuer: 'https://id.example?' }, '/0/issuer'],
  [{ issuer: 'https://id.example?tenant=a' }, '/0/issuer'],
  [{ issuer: 'https://id.example#' }, '/0/issuer'],
  [{ issuer: 'https://ann:secret@id.example' }, '/0/issuer'],
  [{ issuer: `https://id.example/${'a'.repeat(500)}` }, '/0/issuer'],
  [{ issuer: ['https://id.example'] }, '/0/issuer'],
  [{ audiences: undefined }, '/0/audiences'],
  [{ audiences: [] }, '/0/audiences'],
  [{ audiences: 'client' }, '/0/audiences'],
  [{ audiences: [''] }, '/0/audiences'],
  [{ audiences: ['client', 7] }, '/0/audiences'],
  [{ audiences: Array.from({ length: 21 }, String) }, '/0/audiences'],
  [{ jwks_uri: 'keys.example' }, '/0/jwks_uri'],
  [{ jwks_uri: 'file:///etc/passwd' }, '/0/jwks_uri'],
  [{ jwks_uri: 'https://ann@keys.example' }, '/0/jwks_uri'],
  [{ jwks_uri: null }, '/0/jwks_uri'],
  [{ name: '' }, '/0/name'],
  [{ name: 7 }, '/0/name'],
  [{ email_domains: 'example.com' }, '/0/email_domains'],
  [{ email_domains: ['@example.com'] }, '/0/email_domains'],
  [{ email_domains: ['exam ple.com'] }, '/0/email_domains'],
  [{ email_domains: [7] }, '/0/email_domains'],
  [{ email_verified_as_string: 'true' }, '/0/email_verified_as_string'],
  [{ email_verified_as_string: null }, '/0/email_verified_as_string'],
  [{ 'a/b': 1 }, '/0/a~1b'],
];

for (const [change, pointer] of refused)
  test(`an issuer with ${JSON.stringify(change).slice(0, 60)} is refused at ${pointer}`, () => {
    assert.deepEqual(wrongIn([{ ...entry, ...change }]), [pointer]);
  });

test('what is no list of objects is refused', () => {
  for (const value of [null, undefined, {}, 'https://id.example', Array.from({ length: 21 }, () => entry)])
    assert.deepEqual(wrongIn(value), ['']);
  assert.deepEqual(wrongIn([null, 'https://id.example']), ['/0', '/1']);
});

test('every mistake of every issuer is named, and an issuer that is listed twice', () => {
  assert.deepEqual(wrongIn([{}, entry, { ...entry, name: '' }, entry]), [
    '/0/issuer',
    '/0/audiences',
    '/2/name',
    '/2/issuer',
    '/3/issuer',
  ]);
  assert.equal(wrongIn([entry, { ...entry, issuer: 'https://id.example/' }]), undefined);
});
