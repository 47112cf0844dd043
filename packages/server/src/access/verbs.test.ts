import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayMatchAction, verbs } from './verbs.ts';

test('no verb begins with another, so that verb and entity are unambiguous', () => {
  for (const verb of verbs) {
    for (const other of verbs) assert.equal(other.startsWith(verb), other === verb, `${verb}, ${other}`);
  }
});

test('takes for an action pattern what can match a verb and an entity', () => {
  const possible = [
    '*',
    '?*',
    'get*',
    'GET*',
    'gEtOrder',
    '*order',
    'g*',
    '*e*',
    'getorder',
    'create?',
    '?etorder',
    'br?wse*',
  ];
  for (const pattern of [...possible, 'listuser_2', '*t*t*', 'delete*a', 'gett', '*_', '*9', '??????????']) {
    assert.ok(mayMatchAction(pattern), pattern);
  }
});

test('refuses as an action pattern what can match none', () => {
  const impossible = ['', '?', 'get', 'list', 'read*', 'order', 'get order', 'get/order', 'getorder*-', 'get_order'];
  for (const pattern of [
    ...impossible,
    'get1',
    '???',
    '*-*',
    '*:get',
    'get.*',
    'ge*é',
    'constructor',
    '*.*',
    'Kget*',
  ]) {
    assert.ok(!mayMatchAction(pattern), pattern);
  }
});
