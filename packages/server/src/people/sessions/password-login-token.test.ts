import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { secretHash } from '../../lib/ids.ts';
import { createLoginToken, isLoginToken } from '../app-users/password-log-in.ts';

test('a login token holds 256 random bits and is no JWT', () => {
  const tokens = Array.from({ length: 1000 }, createLoginToken);
  assert.equal(new Set(tokens).size, tokens.length);
  for (const token of tokens) {
    assert.ok(isLoginToken(token));
    assert.equal(Buffer.from(token.slice(3), 'base64url').length, 32);
    assert.ok(!token.includes('.'));
  }
});

test('A32 anything but the exact form is no login token', () => {
  const token = createLoginToken();
  const others = [
    '',
    'pl_',
    token.slice(3),
    token.slice(0, -1),
    `${token}A`,
    ` ${token}`,
    `${token}\n`,
    `${token}=`,
    token.toUpperCase(),
    `${token}, ${token}`,
  ];
  for (const other of others) assert.equal(isLoginToken(other), false, JSON.stringify(other));
});

test('what is stored tells nothing of the token and differs for every token', () => {
  const token = createLoginToken();
  assert.equal(secretHash(token), createHash('sha256').update(token).digest('base64url'));
  assert.ok(!secretHash(token).includes(token.slice(3, 11)));
  assert.notEqual(secretHash(token), secretHash(createLoginToken()));
});
