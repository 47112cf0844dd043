import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { thinned } from '../../store/testing/quick.ts';
import { personKeyOf } from './session.ts';

const text = fc.string({ unit: fc.constantFrom('a', ',', '"'), maxLength: 2 });
const person = fc.record(
  { org: text, tenant_id: text, tenant_code: text, member_since: text, sub: text },
  { noNullPrototype: true },
);
const beside = {
  env: 'test' as const,
  ...{ iss: '', aud: '', iat: 0, exp: 0, ep: 0, jti: '', idp: '', auth_time: 0, clientid: '' },
  ...{ email: '', email_verified: true, fn: '', ln: '', role: '' },
};

test('C15: what is remembered of a caller is remembered of no other one', () => {
  const property = fc.property(person, person, (one, other) => {
    const keys = [one, other].map((claims) => personKeyOf('person', { ...beside, ...claims }));
    assert.equal(keys[0] === keys[1], isDeepStrictEqual(one, other));
  });
  fc.assert(property, { numRuns: thinned(20_000) });
});
