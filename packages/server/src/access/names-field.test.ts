import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesField } from './decide.ts';

const about = (statement: object, field = 'pay') =>
  namesField([{ Effect: 'Allow', Action: 'getorder', Resource: '*', ...statement }], { entityName: 'order', field });
const when = (key: string, value = 'a') => ({ Condition: { StringEquals: { [key]: value } } });

test('a policy names a field in patterns, keys and variables', () => {
  for (const pattern of ['pay', '!pay', 'p*', '!*y', 'p??', '*a*']) assert.ok(about({ Fields: [pattern] }), pattern);
  for (const key of [
    'record.pay',
    'Record.Before.PAY',
    'record.after.pay.x',
    'request.body.Pay',
    'request.queryParameters.pay_op',
  ])
    assert.ok(about(when(key)), key);
  assert.ok(about(when('user.id', '$\u007brecord.pay}')));
  assert.ok(about({ Resource: '/item/order/$\u007brecord.pay}' }));
  assert.ok(about({ Effect: 'Deny', Action: '*', Fields: ['pay'] }));
});

test('a policy does not name a field by what is about all fields, other fields, or other entities', () => {
  for (const pattern of ['*', '!*', 'payment', 'PAY', '!p']) assert.ok(!about({ Fields: [pattern] }), pattern);
  for (const key of ['record.payment', 'jwt.pay', 'user.id', 'record.meta.pay']) assert.ok(!about(when(key)), key);
  assert.ok(!about({}));
  assert.ok(!about({ Action: ['getorders', 'listinvoice'], Fields: ['pay'] }));
  assert.ok(!namesField('x', { entityName: 'order', field: 'pay' }));
});
