import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { actionPattern, mayMatchAction, verbs } from './verbs.ts';

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

test('the pattern of schemas holds of the same action patterns', () => {
  const holds = new Ajv2020().compile({ type: 'string', pattern: actionPattern });
  const letters = ['g', 'E', 't', 'r', 'u', 'n', '?', '*', '_', '-', '1', 'é'];
  let all = [''];
  const seen = new Set<boolean>();
  for (let length = 0; length < 5; length++) {
    for (const pattern of all) {
      assert.equal(holds(pattern), mayMatchAction(pattern), pattern);
      seen.add(mayMatchAction(pattern));
    }
    // A reader makes one of several stars in a row.
    all = all.flatMap((pattern) => letters.map((letter) => pattern + letter)).filter((one) => !one.includes('**'));
  }
  for (const verb of [...verbs, 'run'])
    for (const before of ['', '*', '?', 'x'])
      for (const after of ['', '*', '?', 'order', '_a', '1', '-', 'a-b', '*-'])
        for (let length = 0; length <= verb.length; length++) {
          const pattern = `${before}${verb.slice(0, length)}${after}`;
          if (!pattern.includes('**')) assert.equal(holds(pattern), mayMatchAction(pattern), pattern);
        }
  assert.equal(seen.size, 2);
});
