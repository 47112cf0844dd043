import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type EntityUidJson,
  preparsePolicySet,
  type StatefulAuthorizationCall,
  statefulIsAuthorized,
} from '@cedar-policy/cedar-wasm/nodejs';
import { compileAll } from '../agreement.ts';
import { Dice } from '../dice.ts';
import { type ReferenceRequest, referenceRuling } from '../reference-evaluator.ts';
import { type Member, memberTypes, type PlainStatement, toCedarContext, toCedarPolicy } from './cedar-translation.ts';

/** Of each type, values of which some are equal though they are written differently. */
const values = {
  text: ['a', 'A', 'ab', 'u1', 'u2', '', '😀', 'a*', '*', '\u212a', 'K', 'k', 'a\nb'],
  long: [0, 1, -1, 2, 9007199254740991, -9007199254740991],
  decimal: ['1.5', '1.50', '1.5000', '-1.5', '0.0', '-0.0', '0.0001', '922337203685477.5807', '1.0'],
  moment: ['2024-02-29', '2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z', '2024-02-29T00:00:00.001Z', '1969-12-31'],
  address: ['10.0.0.1', '10.0.0.2', '11.0.0.1', '2001:db8::1', '2001:db8:0:0:0:0:0:1', '::1'],
  truth: [true, false],
} as const;
const networks = [
  '10.0.0.0/8',
  '10.0.0.1',
  '10.0.0.0/31',
  '0.0.0.0/0',
  '::/0',
  '2001:db8::/32',
  '128.0.0.0/1',
  '::1/128',
];
const actions = ['getorder', 'getorders', 'listorder', 'createuser'];
const resources = ['/item/order/u1', '/item/orders/a*', '/list/order', '/create/user', '/item/order/😀'];
const orders = ['LessThan', 'LessThanEquals', 'GreaterThan', 'GreaterThanEquals', 'Equals', 'NotEquals'];

test('agrees with Cedar on what both can say', () => {
  const dice = new Dice(1);
  const seen: Record<string, number> = { allowed: 0, explicit_deny: 0, implicit_deny: 0 };
  for (let round = 0; round < 2000; round++) {
    const statements = dice.list(0, 5, () => randomStatement(dice));
    const policies = statements.map((statement) => [statement]);
    const preparsedPolicySetId = prepare(statements);
    const access = compileAll(policies);
    for (let number = 0; number < 5; number++) {
      const request = randomRequest(dice);
      const expected = askCedar({ ...asked, preparsedPolicySetId, context: toCedarContext(request), entities: [] });
      const { outcome } = access.rule(request.action, request.resource, () => request.context);
      const opinions = { Cedar: expected, reference: referenceRuling(policies, request).outcome, engine: outcome };
      if (new Set(Object.values(opinions)).size > 1) assert.fail(JSON.stringify({ opinions, policies, request }));
      seen[outcome] = (seen[outcome] ?? 0) + 1;
    }
  }
  for (const [outcome, count] of Object.entries(seen)) assert.ok(count > 1000, `${outcome}: ${count}`);
});

const entityOf = (type: string): EntityUidJson => ({ type, id: 'one' });
const asked = { principal: entityOf('User'), action: entityOf('Action'), resource: entityOf('Thing') };

function prepare(statements: readonly PlainStatement[]): string {
  const policies = statements.map((statement, index) => [`p${index}`, toCedarPolicy(statement)] as const);
  const answer = preparsePolicySet('random', { staticPolicies: Object.fromEntries(policies) });
  assert.equal(answer.type, 'success', JSON.stringify(answer));
  return 'random';
}

function askCedar(call: StatefulAuthorizationCall): string {
  const answer = statefulIsAuthorized(call);
  if (answer.type !== 'success') return assert.fail(JSON.stringify([answer, call]));
  const { decision, diagnostics } = answer.response;
  assert.deepEqual(diagnostics.errors, []);
  if (decision === 'allow') return 'allowed';
  return diagnostics.reason.length > 0 ? 'explicit_deny' : 'implicit_deny';
}

function randomRequest(dice: Dice): ReferenceRequest {
  const record = (Object.keys(memberTypes) as Member[])
    .filter(() => dice.hits(80))
    .map((name) => [name, dice.hits(5) ? null : randomValue(dice, name)] as const);
  const context = {
    request: {
      method: 'GET',
      path: '/',
      pathParameters: {},
      queryParameters: new Map(),
      ip: dice.pick(values.address),
      time: 0,
    },
    user: { id: dice.pick(['u1', 'u2', '*']), email: '' },
    tenant: { id: '', code: '' },
    jwt: {},
    record: Object.fromEntries(record),
  };
  return { action: dice.pick(actions), resource: dice.pick(resources), context };
}

function randomValue(dice: Dice, name: Member): unknown {
  const type = memberTypes[name];
  return type === 'texts' ? dice.list(0, 3, () => dice.pick(values.text)) : dice.pick<unknown>(values[type]);
}

function randomStatement(dice: Dice): PlainStatement {
  const condition: Record<string, Record<string, unknown>> = {};
  for (let left = dice.pick([0, 1, 1, 2]); left > 0; left--) {
    const [operator, key, expected] = randomEntry(dice);
    condition[operator] = { ...condition[operator], [key]: expected };
  }
  return {
    Effect: dice.hits(65) ? 'Allow' : 'Deny',
    Action: dice.list(1, 2, () => starred(dice, dice.pick(actions))),
    Resource: dice.list(1, 2, () => starred(dice, dice.pick(resources.filter((path) => !path.includes('*'))))),
    Condition: condition,
  };
}

function starred(dice: Dice, text: string): string {
  if (dice.hits(40)) return '*';
  if (dice.hits(30)) return text;
  const letters = Array.from(text);
  // Not the first letter: an action has to begin with a verb.
  const from = 1 + dice.below(letters.length);
  return [...letters.slice(0, from), '*', ...letters.slice(from + dice.below(4))].join('');
}

function randomEntry(dice: Dice): readonly [operator: string, key: string, expected: unknown] {
  const name = dice.pick(Object.keys(memberTypes) as Member[]);
  const key = `${dice.pick(['record', 'Record'])}.${dice.hits(10) ? name.toUpperCase() : name}`;
  if (dice.hits(8)) return ['Null', key, dice.pick([true, 'false'])];
  const suffix = dice.hits(20) ? 'IfExists' : '';
  const several = <Item>(make: () => Item) => dice.list(1, 3, make);
  const type = memberTypes[name];
  if (type === 'texts') {
    const operator = `${dice.pick(['ForAnyValue', 'ForAllValues'])}:String${dice.pick(['Equals', 'NotEquals'])}`;
    return [operator, key, several(() => dice.pick(values.text))];
  }
  if (type === 'address') {
    const place = dice.hits(50) ? key : 'request.ip';
    return [dice.pick(['IpAddress', 'NotIpAddress']) + suffix, place, several(() => dice.pick(networks))];
  }
  if (type === 'truth') return [`Bool${suffix}`, key, dice.pick(values.truth)];
  if (type === 'text') {
    const operator = `String${dice.pick(['Equals', 'NotEquals', 'Like', 'NotLike'])}`;
    const place = dice.hits(80) ? key : 'user.id';
    const variables = ['user.id', 'record.owner'].map((inside) => `$\u007b${inside}}`);
    const make = () =>
      operator.endsWith('Like') ? pattern(dice) : dice.pick([...values.text, ...variables, ...variables]);
    return [operator + suffix, place, several(make)];
  }
  const operator = (type === 'moment' ? 'Date' : 'Numeric') + dice.pick(orders);
  return [operator + suffix, key, several(() => dice.pick<unknown>(values[type]))];
}

/** Cedar has no `?`, and in a pattern of ours each `*` is a wildcard. */
function pattern(dice: Dice): string {
  return dice.pick(['*', 'a*', '*b', 'u*', '*1*', 'u1', '', '😀', 'a*b', '**']);
}
