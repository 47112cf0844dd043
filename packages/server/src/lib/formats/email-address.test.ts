import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isEmailAddress } from './email-address.ts';

const good = [
  'a@b',
  'Ann.Lee+tag@mail.example.com',
  "!#$%&'*+/=?^_`{|}~-@example.com",
  'ünal@köln.de',
  '用户@例子.广告',
  `${'a'.repeat(64)}@${'b'.repeat(63)}.com`,
  `${'ü'.repeat(32)}@example.com`,
];

const bad = [
  '',
  'a',
  '@',
  'a@',
  '@b',
  'a@b@c',
  '.a@b',
  'a.@b',
  'a..b@c',
  'a b@c',
  'a@b c',
  'a@b..c',
  'a@.b',
  'a@b.',
  'a@-b',
  'a@b-',
  'a@b_c',
  '"a"@b',
  'a@[127.0.0.1]',
  'a@b\n',
  'a\u200b@b',
  'a@b\u00ad',
  'a\0@b',
  '\ud800@b',
  `${'a'.repeat(65)}@b`,
  `${'ü'.repeat(33)}@b`,
  `a@${'b'.repeat(64)}`,
  `a@${'ü'.repeat(32)}`,
  `a@${'b.'.repeat(126)}b`,
];

for (const text of good) test(`takes \`${text}\``, () => assert.equal(isEmailAddress(text), true));
for (const text of bad) test(`refuses ${JSON.stringify(text)}`, () => assert.equal(isEmailAddress(text), false));
