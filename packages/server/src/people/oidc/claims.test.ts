import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isEmailAddress } from '../../lib/formats/email-address.ts';
import { type Claims, readIdentity } from './claims.ts';

const issuer = 'https://provider.example';
const nowSeconds = 1_800_000_000;

function identityOf(claims: Claims, settings: { readonly email_verified_as_string?: boolean } = {}) {
  return readIdentity({ sub: 'ann', ...claims }, { issuer, ...settings }, nowSeconds);
}

test('an identity has names in any case, and what else the provider says', () => {
  assert.deepEqual(identityOf({}), { iss: issuer, sub: 'ann', email_verified: false, fn: '', ln: '' });
  const claims = {
    email: 'ann@example.com',
    email_verified: true,
    given_name: 'Ann',
    family_name: 'Lee',
    picture: 'https://example.com/ann.png',
    auth_time: nowSeconds - 60,
  };
  const { given_name, family_name, ...same } = claims;
  const whole = { iss: issuer, sub: 'ann', fn: 'Ann', ln: 'Lee', ...same };
  assert.deepEqual(identityOf({ ...claims, role: 'admin', org: 'acme', tenant_id: 't2', user_id: 'bob' }), whole);
});

test('a subject is a text of at most 255 printing ASCII characters', () => {
  for (const sub of ['a', 'x'.repeat(255), '1', 'auth0|5f7', 'Ann Lee', '__proto__', "' or 1=1 --"])
    assert.equal(identityOf({ sub }).sub, sub);
  for (const sub of [
    undefined,
    null,
    '',
    'x'.repeat(256),
    'é',
    'a\0',
    'a\n',
    '\ud800',
    7,
    ['ann'],
    { $ne: null },
    true,
  ])
    assert.throws(() => identityOf({ sub }), { code: 'token_invalid' }, String(sub));
});

test('A26 an email counts as verified by the boolean alone, and a token with anything else in its place is refused', () => {
  const email = 'ann@example.com';
  assert.equal(identityOf({ email, email_verified: true }).email_verified, true);
  for (const email_verified of [undefined, null, false])
    assert.equal(identityOf({ email, email_verified }).email_verified, false, String(email_verified));
  for (const email_verified of ['true', 'false', 'TRUE', 'yes', '', '1', 1, 0, [true], {}, ' true'])
    assert.throws(() => identityOf({ email, email_verified }), { code: 'token_invalid' }, String(email_verified));
  assert.throws(() => identityOf({ email, email_verified: 'true' }), /set `email_verified_as_string` of the issuer/);
});

test('A26 an issuer whose entry says so may write `email_verified` as a text, and nothing else', () => {
  const email = 'ann@example.com';
  const asText = { email_verified_as_string: true };
  for (const [email_verified, verified] of [
    ['true', true],
    ['false', false],
    [true, true],
    [false, false],
  ] as const)
    assert.equal(identityOf({ email, email_verified }, asText).email_verified, verified);
  assert.equal(identityOf({ email }, asText).email_verified, false);
  for (const email_verified of ['TRUE', 'True', 'yes', '', '1', 1, ['true'], {}, ' true', 'true '])
    assert.throws(
      () => identityOf({ email, email_verified }, asText),
      { code: 'token_invalid' },
      String(email_verified),
    );
  assert.throws(() => identityOf({ email, email_verified: 'true' }, { email_verified_as_string: false }));
});

test('A29 an email that is none is left out, and then nothing is verified', () => {
  for (const email of [undefined, null, '', 'ann', 'ann@', ['ann@example.com'], { $ne: null }, 'ann@example.com.', 7]) {
    const identity = identityOf({ email, email_verified: true });
    assert.ok(!('email' in identity), String(email));
    assert.equal(identity.email_verified, false);
  }
  assert.equal(identityOf({ email: 'Ann+x@Example.com' }).email, 'Ann+x@Example.com', 'as it was written');
});

test('names come from their own claims, or else from the whole name, the last word last', () => {
  const cases: readonly (readonly [claims: Claims, fn: string, ln: string])[] = [
    [{ given_name: 'Ann', family_name: 'Lee', name: 'Someone Else' }, 'Ann', 'Lee'],
    [{ given_name: 'Ann', name: 'Someone Else' }, 'Ann', ''],
    [{ family_name: 'Lee', name: 'Someone Else' }, '', 'Lee'],
    [{ name: 'Ann Lee' }, 'Ann', 'Lee'],
    [{ name: ' Ann  Maria\tLee ' }, 'Ann Maria', 'Lee'],
    [{ name: 'Ann' }, 'Ann', ''],
    [{ name: '', given_name: ' ', family_name: null }, '', ''],
    [{ name: ['Ann Lee'], given_name: 7, family_name: {} }, '', ''],
    [{ given_name: 'Zoë\u0301', family_name: '李' }, 'Zoë\u0301', '李'],
    [{ given_name: 'A\0n\u0007n\n', family_name: '\ud800Lee' }, 'A n n', '\ufffdLee'],
  ];
  for (const [claims, fn, ln] of cases) {
    const identity = identityOf(claims);
    assert.deepEqual([identity.fn, identity.ln], [fn, ln]);
  }
});

test('a picture is an address of the web that fits into a record', () => {
  const fits = `https://example.com/${'x'.repeat(1004)}`;
  for (const picture of ['https://example.com/a.png?s=1', 'http://example.com/', fits])
    assert.equal(identityOf({ picture }).picture, picture);
  const others = [
    '',
    'javascript:alert(1)',
    'data:image/png;base64,AAAA',
    '//example.com/a.png',
    'https://',
    ' https://x/',
  ];
  for (const picture of [...others, 'https://example.com/a b', 'https://x/\n', `${fits}x`, null, 7, ['https://x/']])
    assert.ok(!('picture' in identityOf({ picture })), String(picture));
});

test('the time of the sign-in is a whole number that is not ahead of the clock', () => {
  for (const auth_time of [0, nowSeconds, nowSeconds + 60])
    assert.equal(identityOf({ auth_time }).auth_time, auth_time);
  for (const auth_time of [undefined, null, -1, 1.5, nowSeconds + 61, '1800000000', [nowSeconds], 2 ** 60, Number.NaN])
    assert.ok(!('auth_time' in identityOf({ auth_time })), String(auth_time));
});

test('whatever a provider writes, a record can hold the person', () => {
  const value = fc.oneof(fc.string({ unit: 'binary', maxLength: 400 }), fc.jsonValue());
  const names = ['email', 'given_name', 'family_name', 'name', 'picture', 'auth_time'];
  const claims = fc.dictionary(fc.constantFrom(...names), value);
  fc.assert(
    fc.property(claims, fc.boolean(), (some, isTrue) => {
      const { email, email_verified, fn, ln, picture = '' } = identityOf({ ...some, email_verified: isTrue });
      assert.ok(email === undefined ? !email_verified : isEmailAddress(email));
      for (const text of [fn, ln, picture]) assert.ok(text.isWellFormed() && !/\p{Cc}/u.test(text));
      for (const name of [fn, ln]) assert.ok([...name].length <= 128 && name === name.trim());
    }),
  );
});
