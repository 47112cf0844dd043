import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccessContext } from '../context/context.ts';
import { findEscalation, type HeldPolicy } from '../cover/cover.ts';
import { Dice } from '../testing/dice.ts';
import { type ReferenceRequest, type ReferenceRuling, referenceRuling } from '../testing/reference-evaluator.ts';

const rounds = 8000;
const fieldNames = ['name', 'names', 'salary', 'note'] as const;

const actions = ['*', '*', 'get*', 'update*', 'getorder', 'updateuser', 'g?torder', '*order'];
const resources = [
  ...['*', '*', '/item/*', '/item/order/*', '/update/user/*', '/item/order/u1', '/*/u1', '/update/*/u?'],
  ...['/update/user/{user.id}', '/update/*/{user.id}', '/item/order/{jwt.team}', '/item/{*}/*'].map(variable),
];
const conditions: readonly unknown[] = [
  { StringEquals: { 'record.owner': variable('{user.id}') } },
  { StringEquals: { 'Record.Owner': [variable('{user.id}')] } },
  { StringEquals: { 'record.owner': [variable('{user.id}'), 'u2'] } },
  { StringEquals: { 'record.owner': ['u2', variable('{user.id}')] } },
  { StringNotEquals: { 'record.owner': 'u2' } },
  { StringEquals: { 'record.owner': variable('{user.id}') }, Bool: { 'record.open': 'true' } },
  { Bool: { 'record.open': true } },
  { StringEquals: { 'record.meta.level': 'u1' } },
  { StringNotEquals: { 'record.Meta.Level': 'u1' } },
  { Nonsense: { 'record.open': true } },
  {},
];
const fieldLists: readonly (readonly string[])[] = [
  ...[['name'], ['name', 'salary'], ['*'], ['n*'], ['name*'], ['!salary'], ['*', '!salary'], ['!name', '!salary']],
  ...[['nam?', 'note'], ['!n*'], ['salary', 'name']],
];

function variable(text: string): string {
  return text.replace('{', '$\u007b');
}

function randomStatement(dice: Dice): Readonly<Record<string, unknown>> {
  return {
    Effect: dice.hits(80) ? 'Allow' : 'Deny',
    Action: dice.list(1, 2, () => dice.pick(actions)),
    Resource: dice.list(1, 2, () => dice.pick(resources)),
    ...(dice.hits(40) ? { Condition: dice.pick(conditions) } : {}),
    ...(dice.hits(40) ? { Fields: dice.pick(fieldLists) } : {}),
  };
}

function randomStatements(dice: Dice): readonly Readonly<Record<string, unknown>>[] {
  return dice.list(0, 2, () => randomStatement(dice));
}

/** Of one who may do much, else hardly anything would be accepted: often a statement that is granted, little changed. */
function randomAuthor(dice: Dice, granted: readonly Readonly<Record<string, unknown>>[]): readonly unknown[] {
  const alike = granted
    .filter(({ Effect }) => Effect === 'Allow')
    .map((one) => ({ ...one, ...dice.pick([{}, {}, { Action: '*' }, { Resource: '*' }, { Fields: ['*'] }]) }));
  return [...alike, ...randomStatements(dice)];
}

const requests: readonly (readonly [action: string, resource: string])[] = [
  ['getorder', '/item/order/u1'],
  ['getorder', '/item/order/u2'],
  ['getuser', '/item/user/u1'],
  ['updateuser', '/update/user/u1'],
  ['updateuser', '/update/user/u2'],
  ['updateorder', '/update/order/u1'],
];

function randomRequest(dice: Dice): ReferenceRequest {
  const [action, resource] = dice.pick(requests);
  const context: AccessContext = {
    request: { method: 'GET', path: resource, pathParameters: {}, queryParameters: new Map(), ip: '10.0.0.1', time: 0 },
    user: { id: dice.pick(['u1', 'u2', '*']), email: '' },
    tenant: { id: 't1', code: 'one' },
    jwt: dice.hits(50) ? { team: dice.pick(['u1', '*', ['u1', 'u2']]) } : {},
    record: {
      owner: dice.pick<unknown>(['u1', 'u2', ['u1', 'u2'], null]),
      open: dice.pick<unknown>([true, false, 'x']),
      meta: dice.pick<unknown>([{ level: 'u1' }, { LEVEL: 'u1', Level: 'u2' }, { level: 'u2', Level: 'u1' }]),
    },
  };
  return { action, resource, context };
}

function policy(statements: unknown, policyId: string): HeldPolicy {
  return { policyId, policyName: policyId, statements };
}

/** Whether the second ruling lets no more through than the first, to the last field. */
function isWithin(wide: ReferenceRuling, narrow: ReferenceRuling): boolean {
  if (narrow.outcome !== 'allowed') return true;
  return wide.outcome === 'allowed' && fieldNames.every((name) => !narrow.mayUse(name) || wide.mayUse(name));
}

test('what a write that is no escalation grants, its author may do too, to the last field', () => {
  const dice = new Dice(1);
  let granted = 0;
  for (let round = 0; round < rounds; round++) {
    const before = randomStatements(dice);
    const after = dice.hits(50) ? randomStatements(dice) : [...before, randomStatement(dice)];
    const author = randomAuthor(dice, after);
    const change = { before: [policy(before, 'p')], after: [policy(after, 'p')] };
    if (findEscalation(change, [policy(author, 'own')]) !== undefined) continue;
    for (let count = 0; count < 6; count++) {
      const request = randomRequest(dice);
      const [was, is, own] = [before, after, author].map((one) => referenceRuling([one], request));
      if (was === undefined || is === undefined || own === undefined || isWithin(was, is)) continue;
      granted++;
      const said = () => JSON.stringify({ before, after, author, request });
      assert.equal(own.outcome, 'allowed', said());
      for (const name of fieldNames) assert.ok(!is.mayUse(name) || was.mayUse(name) || own.mayUse(name), said());
    }
  }
  assert.ok(granted > 150, String(granted));
});

test('a write to what its author holds, that is no escalation, gives the author nothing new', () => {
  const dice = new Dice(2);
  let changed = 0;
  for (let round = 0; round < rounds; round++) {
    const before = randomStatements(dice);
    const after = dice.pick([before.slice(1), randomStatements(dice), before.toReversed(), [randomStatement(dice)]]);
    const others = randomAuthor(dice, [...before, ...after]);
    const change = { before: [policy(before, 'p')], after: [policy(after, 'p')] };
    if (findEscalation(change, [policy(others, 'own'), policy(before, 'p')]) !== undefined) continue;
    for (let count = 0; count < 6; count++) {
      const request = randomRequest(dice);
      const was = referenceRuling([others, before], request);
      const is = referenceRuling([others, after], request);
      if (!isWithin(is, was)) changed++;
      assert.ok(isWithin(was, is), JSON.stringify({ before, after, others, request }));
    }
  }
  assert.ok(changed > 60, String(changed));
});

test('what is covered to the letter is covered however often it is granted', () => {
  const own = ['/update/user/{user.id}', '/item/{*}/*'].map(variable);
  const granted = own.flatMap((resource) =>
    ['updateuser', 'getuser'].map((action) => ({ Effect: 'Allow', Action: action, Resource: resource })),
  );
  const author = [{ Effect: 'Allow', Action: ['updateuser', 'getuser'], Resource: own }];
  const change = { before: [], after: [policy([...granted, ...granted], 'p')] };
  assert.equal(findEscalation(change, [policy(author, 'own')]), undefined);
});
