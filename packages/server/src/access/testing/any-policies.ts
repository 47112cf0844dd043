import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { AttachedPolicy } from '../compiled-statement.ts';
import { noContext } from '../context/context.ts';
import { type CompiledAccess, compilePolicies } from '../decide.ts';
import { verbs } from '../verbs.ts';
import { referenceDecision } from './reference-evaluator.ts';

interface AccessRequest {
  readonly action: string;
  readonly resource: string;
}

export function attach(statements: unknown, index = 0): AttachedPolicy {
  return { policyId: `p${index}`, policyName: `policy ${index}`, via: { kind: 'direct' }, statements };
}

export function compile(policies: readonly unknown[]): CompiledAccess {
  return compilePolicies(policies.map(attach));
}

const anyAction = fc
  .tuple(fc.constantFrom(...verbs), fc.constantFrom('order', 'orders', 'user'))
  .map(([verb, entity]) => verb + entity);
const anyResource = fc
  .tuple(
    fc.constantFrom('/item', '/list', '/delete', '/content'),
    fc.constantFrom('/order', '/orders', '/user', ''),
    fc.constantFrom('', '/1', '/12', '/aab', '/😀', '/a\nb/c'),
  )
  .map((parts) => parts.join(''));
export const anyRequest: fc.Arbitrary<AccessRequest> = fc.record({
  action: fc.tuple(anyAction, fc.nat(9)).map(([action, dice]) => (dice === 0 ? action.toUpperCase() : action)),
  resource: anyResource,
});

/** Makes a glob of a text: some of its parts are replaced by a star or by question marks. */
function globOf(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const cut = fc.record({ at: fc.nat(20), length: fc.nat(8), symbol: fc.constantFrom('*', '*', '?') });
  const anyGlob = fc.tuple(texts, fc.array(cut, { maxLength: 2 })).map(([text, cuts]) =>
    cuts
      .reduce<readonly string[]>((letters, { at, length, symbol }) => {
        const from = at % (letters.length + 1);
        const hidden = letters.slice(from, from + length);
        const filling = symbol === '*' ? ['*'] : hidden.map((letter) => (letter === '*' ? '*' : '?'));
        return [...letters.slice(0, from), ...filling, ...letters.slice(from + length)];
      }, Array.from(text))
      .join(''),
  );
  return fc.oneof(
    { weight: 3, arbitrary: anyGlob },
    { weight: 1, arbitrary: fc.constant('*') },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...verbs), fc.constant('*')).map(([verb, star]) => verb + star) },
  );
}

const actionGlobs = fc.array(globOf(anyAction), { minLength: 1, maxLength: 3, size: 'max' });
const resourceGlobs = fc.array(
  globOf(anyResource).map((glob) => (glob.startsWith('/') || glob.startsWith('*') ? glob : `/${glob}`)),
  { minLength: 1, maxLength: 3, size: 'max' },
);

function statementWith(effect: fc.Arbitrary<string>): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  return fc.record({ Effect: effect, Action: actionGlobs, Resource: resourceGlobs });
}
export const anyAllow = statementWith(fc.constant('Allow'));
export const anyDeny = statementWith(fc.constant('Deny'));
const anySound = statementWith(fc.constantFrom('Allow', 'Allow', 'Allow', 'Deny'));

/** Sound but for one member: taken away, replaced by something unreadable, or added without a meaning. */
const anyBroken = fc
  .tuple(
    anySound,
    fc.constantFrom(
      { Effect: undefined },
      { Effect: 'deny' },
      { Action: undefined },
      { Action: [] },
      { Action: ['*', 5] },
      { Resource: null },
      { Resource: { 0: '*' } },
      { Condition: [] },
      { Sid: 'a\u202eb' },
      { Fields: [] },
      { NotAction: '*' },
      'no statement',
    ),
  )
  .map(([sound, change]) => {
    if (typeof change === 'string') return change;
    return Object.fromEntries(Object.entries({ ...sound, ...change }).filter(([, value]) => value !== undefined));
  });
const anyStatement = fc.oneof({ weight: 12, arbitrary: anySound }, { weight: 1, arbitrary: anyBroken });
const anyStatements = fc.array(anyStatement, { maxLength: 3, size: 'max' });
export const anyPolicies = fc.array(
  fc.oneof({ weight: 40, arbitrary: anyStatements }, { weight: 1, arbitrary: fc.constantFrom(null, {}, 'x') }),
  { maxLength: 3, size: 'max' },
);
export const anySoundPolicies = fc.array(fc.array(anySound, { maxLength: 3, size: 'max' }), {
  maxLength: 3,
  size: 'max',
});

const requestsPerRun = 25;

/** Compares decisions on so many requests with those of the reference evaluator, and that each of them came up. */
export function agreeWithReference(requests: number): void {
  const seen: Record<string, number> = {};
  const anyRequests = fc.array(anyRequest, { minLength: requestsPerRun, maxLength: requestsPerRun });
  fc.assert(
    fc.property(anyPolicies, anyRequests, (policies, many) => {
      const access = compile(policies);
      for (const { action, resource } of many) {
        const expected = referenceDecision(policies, action, resource);
        seen[expected] = (seen[expected] ?? 0) + 1;
        assert.equal(access.rule(action, resource, noContext).outcome, expected, `${action} on ${resource}`);
      }
    }),
    { numRuns: requests / requestsPerRun },
  );
  for (const outcome of ['allowed', 'explicit_deny', 'implicit_deny']) {
    assert.ok((seen[outcome] ?? 0) > requests / 10, JSON.stringify(seen));
  }
}
