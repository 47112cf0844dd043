import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LogicBlockContent, logicBlockKind } from './logicblock.ts';

const read = { Effect: 'Allow', Action: ['getorder'], Resource: ['/item/order/*'] };
const list = { Effect: 'Allow', Action: ['listorder'], Resource: ['/list/order'] };
const never = { Effect: 'Deny', Action: ['getorder'], Resource: ['/item/order/x'] };
const app = (...policies: readonly object[]) => ({ run_as: 'app', policies }) as const;
const own = 'its steps are decided by policies of its own, and not by those of its caller';

function blockOf(rights: object | undefined): LogicBlockContent | undefined {
  return rights && { name: 'block', steps: [], ...rights };
}

for (const [what, before, after, wider] of [
  ['of its caller', undefined, {}, []],
  ['of its own from the beginning', undefined, app(read), [own, 'its steps may do `getorder` on `/item/order/*`']],
  ['of its caller from now on', app(read), { run_as: 'caller' }, []],
  ['the same', app(read, never), app(never, read), []],
  ['one more', app(read), app(read, list), ['its steps may do `listorder` on `/list/order`']],
  ['one less', app(read, list), app(read), []],
  ['a denial more', app(read), app(read, never), []],
  ['a denial less', app(read, never), app(read), ['its steps are not denied `getorder` on `/item/order/x` any more']],
  [
    'conditions',
    app(read),
    app({ ...list, Condition: { StringEquals: { 'record.a': 'b' } } }),
    ['its steps may do `listorder` on `/list/order`, on conditions'],
  ],
  ['none any more', app(read), undefined, []],
] as const)
  test(`policies of a block: ${what}`, () => {
    const change = { name: 'block', before: blockOf(before), after: blockOf(after) };
    assert.deepEqual(logicBlockKind.widening(change), wider);
  });
