import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queryOf, readAuditSearch } from './audit-search.ts';

test('an address is read as far as it makes sense', () => {
  const whole = { who: 'u1', what: 'deploy.', object: 'order', in: 'prod', from: '2026-01-31', to: '2026-02-28' };
  assert.deepEqual(readAuditSearch(whole), { ...whole, request: undefined });
  const senseless = readAuditSearch({ in: 'stage', from: 'yesterday', to: '2026-13-01', who: '', what: null });
  assert.deepEqual(Object.values(senseless), Array(7).fill(undefined));
  assert.equal(readAuditSearch({ object: 42 }).object, '42');
  assert.equal(readAuditSearch({ who: 'a'.repeat(5000) }).who?.length, 300);
});

test('the last day belongs to the period, over the ends of months and years', () => {
  assert.equal(queryOf({ to: '2026-02-28' }).to, '2026-03-01');
  assert.equal(queryOf({ to: '2026-12-31' }).to, '2027-01-01');
  assert.equal(queryOf({}).to, undefined);
});
