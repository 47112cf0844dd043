import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { thinned } from '../store/testing/quick.ts';
import { workspaceScopeName } from './workspace.ts';

test('C01: no two workspaces have one scope, since no code of an org has a hyphen', () => {
  const place = fc.tuple(fc.stringMatching(/^[ab][ab0]{1,3}$/), fc.stringMatching(/^[ab0](?:[ab0-]{0,3}[ab0])?$/));
  const property = fc.property(place, place, (one, other) => {
    assert.equal(workspaceScopeName(...one) === workspaceScopeName(...other), isDeepStrictEqual(one, other));
  });
  fc.assert(property, { numRuns: thinned(50_000) });
});
