import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routeActions } from '@freehold/contract/route-actions';
import { systemEntityNames } from '@freehold/contract/system-entities';
import { lintStatements as lintAll } from './lint.ts';
import type { Finding, LintedEntity } from './linted-policy.ts';

const entity = (
  name: string,
  fields: readonly string[] = [],
  lists: readonly string[] = [],
  renamed: LintedEntity['renamed'] = [],
): LintedEntity => ({
  name,
  fields: new Set([...fields, ...lists, ...renamed.flat()]),
  lists: new Set(lists),
  renamed,
  references: [],
});

const lintStatements = (statements: unknown, known: readonly LintedEntity[], blocks: readonly string[] = []) =>
  lintAll(statements, { entities: known, blocks, systemEntities: systemEntityNames, routes: routeActions });

const entities: readonly LintedEntity[] = [
  entity('order', ['title', 'owner', 'State'], ['tags']),
  entity('orders'),
  entity('move', ['before', 'after']),
  entity(
    'note',
    ['plain'],
    [],
    [
      ['text', 'body'],
      ['prior', 'before'],
    ],
  ),
  entity('user', ['email']),
  entity('aclpolicy', ['name', 'statements']),
  entity('useraclpolicy', ['user_id']),
];

const allow = (Action: unknown, Resource: unknown = '*', more: object = {}) => ({
  Effect: 'Allow',
  Action,
  Resource,
  ...more,
});
const deny = (Action: unknown, Resource: unknown = '*', more: object = {}) => ({
  Effect: 'Deny',
  Action,
  Resource,
  ...more,
});
const when = (operator: string, key: string, ...values: readonly string[]) => ({
  Condition: { [operator]: { [key]: values } },
});

const beforeAndAfter = {
  Condition: { StringEquals: { 'record.before.owner': 'a', 'Record.After.owner': ['a', 'b'] } },
};

const ownRecord = `/item/user/${'$'}{user.id}`;

/** The findings, as `code pointer`, without those of features that are not wired up yet. */
function found(statements: unknown): readonly string[] {
  return lintStatements(statements, entities)
    .filter(({ code }) => code !== 'not_supported')
    .map(({ code, pointer }) => `${code} ${pointer.replace('/statements', '')}`);
}

const cases: readonly (readonly [name: string, statements: unknown, expected: readonly string[]])[] = [
  ['nothing to look at', [], []],
  ['a sound policy', [allow(['getorder', 'listorder'], ['/item/order/*', '/list/order'])], []],
  ['what is no list', 'x', ['invalid_type ']],
  ['a field by its present name', [allow('getnote', '*', { Fields: ['text', '*', 't*'] })], []],
  [
    'a field by an earlier name',
    [allow('getnote', '*', { Fields: ['body', '!body', 'bo*', 'plain'] })],
    ['renamed_field /0/Fields/0', 'renamed_field /0/Fields/1', 'renamed_field /0/Fields/2'],
  ],
  [
    'a key by an earlier name',
    [
      deny('updatenote', '*', when('StringEquals', 'record.Body', 'a')),
      deny('*note', '*', when('Null', 'request.queryParameters.body_op', 'true')),
    ],
    [
      'renamed_field /0/Condition/StringEquals/record.Body',
      'renamed_field /1/Condition/Null/request.queryParameters.body_op',
    ],
  ],
  [
    'a state that was a field',
    [deny('updatenote', '*', when('StringEquals', 'record.before.x', 'a'))],
    [
      'state_is_field /0/Condition/StringEquals/record.before.x',
      'renamed_field /0/Condition/StringEquals/record.before.x',
    ],
  ],
  [
    'exceptions of a Deny that a wildcard makes',
    [deny('getnote', '*', { Fields: ['!t*', '!text', '!bo*', '!*'] })],
    ['renamed_exception /0/Fields/0', 'renamed_exception /0/Fields/2'],
  ],
  ['exceptions of an Allow that a wildcard makes', [allow('getnote', '*', { Fields: ['!t*'] })], []],
  [
    'a mistake that a policy is refused for',
    [{ Effect: 'allow', Action: 'getorder', Resource: '*' }],
    ['invalid_value /0/Effect'],
  ],
  ['an unknown verb', [allow('graborder')], ['invalid_value /0/Action']],
  ['an unknown entity', [allow(['getorder', 'getordr'])], ['unknown_entity /0/Action/1']],
  ['an unknown entity in a scalar', [allow('getordr')], ['unknown_entity /0/Action']],
  ['a wildcard that some entity has', [allow('get*r')], []],
  ['a handover', [allow('updateorder', '*', beforeAndAfter)], []],
  [
    'a state of a field that no entity has',
    [deny('updateorder', '*', when('StringEquals', 'record.after.colour', 'red'))],
    ['unknown_field /0/Condition/StringEquals/record.after.colour'],
  ],
  [
    'a state where the record has none',
    [deny(['createorder', 'getorder'], '*', when('StringEquals', 'record.before.owner', 'a'))],
    ['state_missing /0/Condition/StringEquals/record.before.owner'],
  ],
  ['a state of a create', [allow('createorder', '*', when('StringEquals', 'record.after.owner', 'a'))], []],
  [
    'an update that may leave the record to anybody',
    [allow('updateorder', '*', when('StringEquals', 'record.before.owner', 'a'))],
    ['state_after_open /0/Condition'],
  ],
  [
    'a state that is a field',
    [deny('updatemove', '*', when('StringEquals', 'record.before.place', 'a'))],
    ['state_is_field /0/Condition/StringEquals/record.before.place'],
  ],
  ['an action of the workspace', [allow('createinvitation', '/user/invitations')], []],
  [
    'an action and a resource that never meet',
    [allow('getorder', '/list/*')],
    ['never_matches /0/Action', 'never_matches /0/Resource'],
  ],
  ['an export', [allow('listorder', '/export/order')], []],
  ['an import', [allow('createorder', '/import/order')], []],
  ['one resource too many', [allow('getorder', ['/item/order/*', '/list/order'])], ['never_matches /0/Resource/1']],
  ['one action too many', [allow(['getorder', 'listorder'], '/item/order/*')], ['never_matches /0/Action/1']],
  [
    'a resource of another entity',
    [allow('getorder', '/item/user/*')],
    ['never_matches /0/Action', 'never_matches /0/Resource'],
  ],
  ['a resource with a variable', [allow('getuser', ownRecord)], []],
  [
    'a star behind a slash',
    [allow('listorder', '/list/order/*')],
    ['never_matches /0/Action', 'slash_star /0/Resource'],
  ],
  ['a star behind a name', [allow('getorder*')], ['reaches_further /0/Action']],
  ['a star behind a name in a resource', [allow('listorder', '/list/order*')], ['reaches_further /0/Resource']],
  ['a star behind the longer name', [allow('getorders*')], []],
  ['an Allow under a Deny', [allow('getorder', '/item/order/*'), deny('get*')], ['shadowed_by_deny /0']],
  ['an Allow under a Deny in part', [allow(['getorder', 'listorder']), deny('get*')], []],
  ['an Allow under a Deny on one record', [allow('getorder'), deny('getorder', '/item/order/1')], []],
  [
    'an Allow under a Deny with a condition',
    [allow('getorder'), deny('getorder', '*', when('StringEquals', 'user.id', 'x'))],
    [],
  ],
  ['an Allow under a Deny of fields', [allow('getorder'), deny('getorder', '*', { Fields: ['title'] })], []],
  ['an Allow beside a wider one', [allow('getorder', '/item/order/1'), allow('get*')], ['redundant /0']],
  ['an Allow beside the same one', [allow('getorder'), allow('getorder')], ['redundant /1']],
  [
    'an Allow beside one with a condition',
    [allow('getorder'), allow('get*', '*', when('StringEquals', 'user.id', 'x'))],
    [],
  ],
  ['an Allow beside one of fields', [allow('getorder'), allow('get*', '*', { Fields: ['title'] })], []],
  ['an Allow beside one with a variable', [allow('getuser', '/item/user/1'), allow('getuser', ownRecord)], []],
  [
    'wildcards that reach routes of the workspace',
    [allow(['update*', 'delete*', 'create*', 'list*'], '/user/*')],
    ['reaches_workspace /0/Action/0', 'reaches_workspace /0/Action/1', 'reaches_workspace /0/Action/2'],
  ],
  ['wildcards that reach none of them', [allow(['update*', 'delete*'], ['/update/order/*', '/delete/order/*'])], []],
  ['actions of routes by their names', [allow(['updateworkspace', 'deleteinvitation'])], []],
  ['everything', [allow('*')], ['allows_everything /0']],
  ['everything of an entity', [allow('*order')], []],
  ['everything under a condition', [allow('*', '*', when('IpAddress', 'request.ip', '10.0.0.0/8'))], []],
  ['creating everything', [allow('create*')], ['reaches_workspace /0/Action', 'writes_access_control /0/Action']],
  ['creating everything in one place', [allow('create*', '/create/order')], []],
  ['creating policies by name', [allow('createaclpolicy')], []],
  ['denying everything', [deny('*')], []],
  [
    'ForAllValues on an Allow',
    [allow('getorder', '*', when('ForAllValues:StringEquals', 'record.tags', 'a'))],
    ['for_all_values /0/Condition/ForAllValues:StringEquals/record.tags'],
  ],
  [
    'ForAllValues beside a Null false',
    [
      allow('getorder', '*', {
        Condition: { 'ForAllValues:StringEquals': { 'record.tags': ['a'] }, Null: { 'Record.tags': ['false'] } },
      }),
    ],
    [],
  ],
  [
    'ForAllValues beside a Null true',
    [
      allow('getorder', '*', {
        Condition: { 'ForAllValues:StringEquals': { 'record.tags': ['a'] }, Null: { 'record.tags': ['true'] } },
      }),
    ],
    ['for_all_values /0/Condition/ForAllValues:StringEquals/record.tags'],
  ],
  ['ForAllValues on a Deny', [deny('getorder', '*', when('ForAllValues:StringEquals', 'record.tags', 'a'))], []],
  [
    'a negated operator',
    [allow('getorder', '*', when('StringNotEquals', 'record.owner', 'x'))],
    ['negated_missing /0/Condition/StringNotEquals/record.owner'],
  ],
  [
    'a negated operator with IfExists',
    [allow('getorder', '*', when('StringNotLikeIfExists', 'record.owner', 'x'))],
    ['negated_if_exists /0/Condition/StringNotLikeIfExists/record.owner'],
  ],
  [
    'a negated operator on what is always there',
    [allow('getorder', '*', when('NotIpAddress', 'request.ip', '10.0.0.0/8'))],
    [],
  ],
  ['a negated operator on a Deny', [deny('getorder', '*', when('StringNotEquals', 'record.owner', 'x'))], []],
  [
    'a field that the entity lacks',
    [allow('getorder', '*', when('StringEquals', 'record.ower', 'x'))],
    ['unknown_field /0/Condition/StringEquals/record.ower'],
  ],
  ['a field of another case', [allow('getorder', '*', when('StringEquals', 'record.state', 'x'))], []],
  ['a field of the envelope', [allow('getorder', '*', when('StringEquals', 'record.created_by', 'x'))], []],
  [
    'a field that one of the entities has',
    [allow(['getorder', 'getuser'], '*', when('StringEquals', 'record.email', 'x'))],
    [],
  ],
  [
    'Fields that the entity lacks',
    [allow('getorder', '*', { Fields: ['title', '!ower'] })],
    ['unknown_field /0/Fields/1'],
  ],
  [
    'a list without a set qualifier',
    [allow('getorder', '*', when('StringEquals', 'record.tags', 'a'))],
    ['needs_set_qualifier /0/Condition/StringEquals/record.tags'],
  ],
];

const searching = (operator: string, key: string, count: number, pattern: (index: number) => string) =>
  when(operator, key, ...Array.from({ length: count }, (_, index) => pattern(index)));

const costly: readonly (readonly [name: string, statement: object, finding: string | undefined])[] = [
  ['a word', searching('StringLike', 'record.title', 1, () => '*word*'), undefined],
  ['beginnings and ends', searching('StringLike', 'record.title', 50, (n) => `${n}*${n}`), undefined],
  ['3 words', searching('StringLike', 'record.title', 3, (n) => `*${n}*`), 'info 666666'],
  ['50 words', searching('StringNotLikeIfExists', 'Record.title', 50, (n) => `*${n}*`), 'warning 40000'],
  ['50 runs of 33', searching('StringLike', 'record.title', 50, (n) => `*${'?'.repeat(32)}${n % 9}*`), 'warning 8000'],
  ['50 words of an email', searching('StringLike', 'user.email', 50, (n) => `*${n}*`), undefined],
  ['50 equal texts', searching('StringEquals', 'record.title', 50, (n) => `*${n}*`), undefined],
];

for (const [name, statement, expected] of costly) {
  test(`a look at a search for ${name} finds ${expected ?? 'nothing'} to be over budget`, () => {
    const findings = lintStatements([deny('getorder', '*', statement)], entities).filter(
      ({ code }) => code === 'over_budget',
    );
    const problem = findings.map(
      ({ severity, message }) => `${severity} ${/more than (\d+) characters/.exec(message)?.[1]}`,
    );
    assert.deepEqual(problem, expected === undefined ? [] : [expected]);
  });
}

test('a look at an entity whose name makes the action of a route names both', () => {
  const stored = [...entities, entity('workspace')];
  const shared = (...statements: readonly unknown[]) =>
    lintStatements(statements, stored)
      .filter(({ code }) => code === 'shared_action')
      .map(({ pointer }) => pointer);
  assert.deepEqual(shared(allow(['updateworkspace', 'getworkspace']), deny('update*')), [
    '/statements/0/Action/0',
    '/statements/1/Action',
  ]);
  assert.deepEqual(shared(allow('updateworkspace', '/update/workspace/*')), []);
  const [finding] = lintStatements([allow('updateworkspace')], stored);
  assert.match(finding?.message ?? '', /records of the entity `workspace` and about `PUT \/user\/workspace`/);
  assert.deepEqual(lintStatements([allow('updateworkspace')], entities), []);
});

for (const [name, statements, expected] of cases) {
  test(`a look at ${name} finds ${expected.length === 0 ? 'nothing' : expected.join(' and ')}`, () => {
    assert.deepEqual([...found(statements)].sort(), [...expected].sort());
  });
}

test('the worst comes first, and the list has a bound', () => {
  const statements = [allow('getorder*'), allow('*'), { Effect: 'x', Action: 'getorder', Resource: '*' }];
  const severities = lintStatements(statements, entities).map(({ severity }) => severity);
  assert.deepEqual(severities, ['error', 'warning', 'info', 'info']);
  const many = [allow(Array.from({ length: 400 }, (_, index) => `get${index.toString(36)}x`))];
  assert.ok(lintStatements(many, entities).length <= 200);
});

test('what takes too long to compare is left, and that is said', () => {
  const patterns = (length: number) => Array.from({ length }, (_, index) => `/*mm*${index}*`);
  const statements = Array.from({ length: 10 }, () => allow('list*', patterns(45)));
  const many = Array.from({ length: 2000 }, (_, index) => entity(`e${index}`));
  const codes = lintStatements(statements, many).map(({ code }: Finding) => code);
  assert.ok(codes.includes('unfinished'), codes.join());
});

test('an Allow to write a reference is pointed out where the policy has no Allow to get what it refers to', () => {
  const references = [{ field: 'of', entity: 'customer' }];
  const known = [entity('customer', ['title']), { ...entity('invoice', ['title']), references }];
  const codes = (...statements: readonly unknown[]): readonly string[] =>
    lintStatements(statements, known)
      .filter(({ code }) => code === 'unreadable_reference')
      .map(({ severity, pointer }) => `${severity} ${pointer}`);
  assert.deepEqual(codes(allow(['getinvoice', 'createinvoice'])), ['info /statements/0/Action/1']);
  assert.deepEqual(codes(allow('update*')), ['info /statements/0/Action']);
  assert.deepEqual(codes(allow('createinvoice'), allow('getcustomer', '/item/customer/*')), []);
  assert.deepEqual(codes(allow(['createinvoice', 'get*'])), []);
  assert.deepEqual(codes(allow('createcustomer'), deny('createinvoice')), []);
  assert.deepEqual(codes(allow('createinvoice', '*', { Mode: 'report' }), allow('getinvoice')), []);
});
