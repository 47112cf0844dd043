import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccessContext } from '../context/context.ts';
import { findEscalation, type HeldPolicy } from '../cover/cover.ts';
import { Dice } from '../testing/dice.ts';
import { namingOf } from '../testing/random-naming.ts';
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

/** In the second kind of sample, where two fields have several names. */
const names = [
  ['salary', 'pay', 'wage'],
  ['note', 'memo'],
];
const listsByOtherNames: readonly (readonly string[])[] = [
  ...[['pay'], ['name', 'wage'], ['!pay'], ['*', '!wage'], ['!memo', '!pay'], ['p*', 'w*'], ['!p*'], ['*', '!?a?e']],
  ...[['memo'], ['n*', '!memo'], ['salary', '!p*', '!s*', '!w*'], ['*', '!memo', '!wage']],
];
const allLists = [...fieldLists, ...listsByOtherNames];
const kinds = { plain: undefined, renamed: namingOf(names) } as const;
type Kind = keyof typeof kinds;
const options = {
  plain: {},
  renamed: {
    renamed: [
      { name: 'order', fields: names },
      { name: 'user', fields: names },
    ],
  },
};

function variable(text: string): string {
  return text.replace('{', '$\u007b');
}

function randomStatement(dice: Dice, kind: Kind = 'plain'): Readonly<Record<string, unknown>> {
  return {
    Effect: dice.hits(80) ? 'Allow' : 'Deny',
    Action: dice.list(1, 2, () => dice.pick(actions)),
    Resource: dice.list(1, 2, () => dice.pick(resources)),
    ...(dice.hits(40) ? { Condition: dice.pick(conditions) } : {}),
    ...(dice.hits(kind === 'plain' ? 40 : 75) ? { Fields: dice.pick(kind === 'plain' ? fieldLists : allLists) } : {}),
  };
}

function randomStatements(dice: Dice, kind: Kind): readonly Readonly<Record<string, unknown>>[] {
  return dice.list(0, 2, () => randomStatement(dice, kind));
}

/** Of one who may do much, else hardly anything would be accepted: often a statement that is granted, little changed. */
function randomAuthor(
  dice: Dice,
  granted: readonly Readonly<Record<string, unknown>>[],
  kind: Kind,
): readonly unknown[] {
  const alike = granted
    .filter(({ Effect }) => Effect === 'Allow')
    .map((one) => ({
      ...one,
      ...dice.pick([{}, {}, { Action: '*' }, { Resource: '*' }, { Fields: ['*'] }, { Fields: ['*', '!pay'] }]),
    }));
  return [...alike, ...randomStatements(dice, kind)];
}

const requests: readonly (readonly [action: string, resource: string])[] = [
  ['getorder', '/item/order/u1'],
  ['getorder', '/item/order/u2'],
  ['getuser', '/item/user/u1'],
  ['updateuser', '/update/user/u1'],
  ['updateuser', '/update/user/u2'],
  ['updateorder', '/update/order/u1'],
];

function randomRequest(dice: Dice, kind: Kind): ReferenceRequest {
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
  const naming = kinds[kind];
  return { action, resource, context: naming === undefined ? context : { ...context, naming } };
}

function policy(statements: unknown, policyId: string): HeldPolicy {
  return { policyId, policyName: policyId, statements };
}

/** Whether the second ruling lets no more through than the first, to the last field. */
function isWithin(wide: ReferenceRuling, narrow: ReferenceRuling): boolean {
  if (narrow.outcome !== 'allowed') return true;
  return wide.outcome === 'allowed' && fieldNames.every((name) => !narrow.mayUse(name) || wide.mayUse(name));
}

for (const kind of ['plain', 'renamed'] as const) {
  test(`what a write that is no escalation grants, its author may do too, to the last field (${kind})`, () => {
    const dice = new Dice(1);
    let granted = 0;
    for (let round = 0; round < rounds; round++) {
      const before = randomStatements(dice, kind);
      const after = dice.hits(50) ? randomStatements(dice, kind) : [...before, randomStatement(dice, kind)];
      const author = randomAuthor(dice, after, kind);
      const change = { before: [policy(before, 'p')], after: [policy(after, 'p')] };
      if (findEscalation(change, [policy(author, 'own')], options[kind]) !== undefined) continue;
      for (let count = 0; count < 6; count++) {
        const request = randomRequest(dice, kind);
        const [was, is, own] = [before, after, author].map((one) => referenceRuling([one], request));
        if (was === undefined || is === undefined || own === undefined || isWithin(was, is)) continue;
        granted++;
        const describe = () => JSON.stringify({ before, after, author, request });
        assert.equal(own.outcome, 'allowed', describe());
        for (const name of fieldNames) assert.ok(!is.mayUse(name) || was.mayUse(name) || own.mayUse(name), describe());
      }
    }
    assert.ok(granted > 150, String(granted));
  });

  test(`a write to what its author holds, that is no escalation, gives the author nothing new (${kind})`, () => {
    const dice = new Dice(2);
    let changed = 0;
    for (let round = 0; round < rounds; round++) {
      const before = randomStatements(dice, kind);
      const after = dice.pick([
        before.slice(1),
        randomStatements(dice, kind),
        before.toReversed(),
        [randomStatement(dice, kind)],
      ]);
      const others = randomAuthor(dice, [...before, ...after], kind);
      const change = { before: [policy(before, 'p')], after: [policy(after, 'p')] };
      if (findEscalation(change, [policy(others, 'own'), policy(before, 'p')], options[kind]) !== undefined) continue;
      for (let count = 0; count < 6; count++) {
        const request = randomRequest(dice, kind);
        const was = referenceRuling([others, before], request);
        const is = referenceRuling([others, after], request);
        if (!isWithin(is, was)) changed++;
        assert.ok(isWithin(was, is), JSON.stringify({ before, after, others, request }));
      }
    }
    assert.ok(changed > 60, String(changed));
  });
}

test('what is covered to the letter is covered however often it is granted', () => {
  const own = ['/update/user/{user.id}', '/item/{*}/*'].map(variable);
  const granted = own.flatMap((resource) =>
    ['updateuser', 'getuser'].map((action) => ({ Effect: 'Allow', Action: action, Resource: resource })),
  );
  const author = [{ Effect: 'Allow', Action: ['updateuser', 'getuser'], Resource: own }];
  const change = { before: [], after: [policy([...granted, ...granted], 'p')] };
  assert.equal(findEscalation(change, [policy(author, 'own')]), undefined);
});
