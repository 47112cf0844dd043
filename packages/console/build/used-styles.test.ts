import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutUnused } from './used-styles.ts';

const used = new Set(['m_aaaaaa']);

test('rules of classes that are used, and of no class of the library, stay as they are', () => {
  const sheet =
    '@layer x{:root{--a:1}.m_aaaaaa{b:c}.m_aaaaaa:is(.x,.y)>a,.own{d:e}@media (width>1px){.m_aaaaaa{f:g}}}@keyframes k{0%{h:i}to{j:k}}';
  assert.equal(withoutUnused(sheet, used), sheet);
});

test('rules of which no selector can match go', () => {
  const sheet =
    '.m_aaaaaa{a:b}.m_bbbbbb{c:d}.m_aaaaaa .m_bbbbbb,.m_bbbbbb:where(.m_aaaaaa,.x){e:f}@media print{.m_bbbbbb{g:h}}';
  assert.equal(withoutUnused(sheet, used), '.m_aaaaaa{a:b}@media print{}');
});

test('a rule stays whole if one of its selectors can match', () => {
  const sheet = '.m_bbbbbb,.m_aaaaaa{a:b}';
  assert.equal(withoutUnused(sheet, used), sheet);
});
