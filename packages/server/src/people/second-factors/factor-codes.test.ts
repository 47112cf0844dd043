import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  base32,
  makeRecoveryCodes,
  matchingStep,
  newTotpSecret,
  otpauthUri,
  recoveryHash,
  totpCode,
  totpStep,
} from './factor-codes.ts';

const rfcSecret = Buffer.from('12345678901234567890');

test('makes the codes of RFC 6238, appendix B', () => {
  for (const [seconds, code] of [
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ] as const)
    assert.equal(totpCode(rfcSecret, totpStep(seconds * 1000), 8), code);
});

test('makes the codes of RFC 4226, appendix D', () => {
  const codes = Array.from({ length: 10 }, (_, counter) => totpCode(rfcSecret, counter));
  assert.deepEqual(codes, [
    '755224',
    '287082',
    '359152',
    '969429',
    '338314',
    '254676',
    '287922',
    '162583',
    '399871',
    '520489',
  ]);
});

test('takes the code of now, of the step before and of the step after, and none twice', () => {
  const now = 1_800_000_000_000;
  const step = totpStep(now);
  const taken = (code: string, lastStep = -1) => matchingStep(rfcSecret, { code, now, lastStep });
  for (const offset of [-1, 0, 1]) {
    const code = totpCode(rfcSecret, step + offset);
    assert.equal(taken(code), step + offset);
    assert.equal(taken(code, step + offset), undefined);
    assert.equal(taken(code, step + 1), undefined);
    assert.equal(taken(` ${code.slice(0, 3)} ${code.slice(3)} `), step + offset);
  }
  for (const offset of [-3, -2, 2, 3]) assert.equal(taken(totpCode(rfcSecret, step + offset)), undefined);
  for (const wrong of ['', '12345', '1234567', 'abcdef', '٠١٢٣٤٥']) assert.equal(taken(wrong), undefined);
});

test('spells secrets in base32 as RFC 4648 has it', () => {
  for (const [text, spelled] of [
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ] as const)
    assert.equal(base32(Buffer.from(text)), spelled);
  assert.equal(newTotpSecret().length, 20);
});

test('names account and issuer in the URI, whatever they hold', () => {
  const uri = otpauthUri(rfcSecret, { issuer: 'Free hold', account: 'a&b=c?@example.com' });
  assert.equal(
    uri,
    'otpauth://totp/Free%20hold:a%26b%3Dc%3F%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Free%20hold',
  );
});

test('makes ten codes of 20 letters, of which no letter looks like another', () => {
  const { codes, hashes } = makeRecoveryCodes();
  assert.deepEqual([new Set(codes).size, new Set(hashes).size], [10, 10]);
  for (const code of codes) assert.match(code, /^([0-9a-z]{5}-){3}[0-9a-z]{5}$/);
  assert.doesNotMatch(codes.join(''), /[1ilo]/);
  assert.deepEqual(codes.map(recoveryHash), hashes);
});

test('a code is the same however it is typed', () => {
  const { codes, hashes } = makeRecoveryCodes();
  const [code = ''] = codes;
  for (const typed of [
    code.toUpperCase(),
    code.replaceAll('-', ''),
    ` ${code.replaceAll('-', ' ')} `,
    code.replaceAll('0', 'O'),
  ])
    assert.equal(recoveryHash(typed), hashes[0]);
  assert.notEqual(recoveryHash(code.slice(1)), hashes[0]);
});
