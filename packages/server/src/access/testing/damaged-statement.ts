import type { Dice } from './dice.ts';

export type Json = Readonly<Record<string, unknown>>;

/** A statement but for one thing, which breaks it most of the times. */
export function damaged(dice: Dice, sound: Json): unknown {
  const damage = dice.pick(damages());
  if (damage === null || typeof damage === 'string') return damage;
  return Object.fromEntries(Object.entries({ ...sound, ...damage }).filter(([, value]) => value !== undefined));
}

const damages = () => [...kinds, ...kinds, ...conditions.map((Condition) => ({ Condition })), ...resources];

const kinds: readonly (Json | string | null)[] = [
  ...['no statement', null],
  ...[{ Effect: undefined }, { Effect: 'deny' }, { Effect: ['Deny'] }, { Action: undefined }, { Action: [] }],
  ...[
    { Action: ['*', 5] },
    { Resource: null },
    { Resource: { 0: '*' } },
    { Resource: [] },
    { Sid: 'a\nb' },
    { Sid: null },
  ],
  ...[{ NotAction: '*' }, { fields: ['a'] }, { Condition: 'x' }, { Condition: [] }, { Condition: null }],
  ...[{ Fields: [] }, { Fields: ['*', 1] }, { Fields: {} }, { Fields: null }, { Fields: 'status' }],
];

/** Most of them ask for nothing that there is. */
const keys = [
  ...[
    'jwt.role',
    'JWT.Role',
    'jwt.role.x',
    'jwt.rol\u0435',
    'jwt.roles',
    'jwt',
    'jwt.',
    'nothing.x',
    'record',
    'request',
  ],
  ...[
    'request.body',
    'request.headers.x',
    'record.',
    '',
    'record..a',
    'record.a.',
    ' record.a',
    'record.a ',
    'record. a',
  ],
  ...[
    'request.queryParameters',
    'request.queryParameters.',
    'request.queryParameters.a..b',
    'request.pathParameters.x',
  ],
  ...[
    'request.pathParameters',
    'request.pathParameters.id.x',
    'request.ip.x',
    'user',
    'user.name',
    'user.id.x',
    'USER.ID',
  ],
  ...[
    'tenant.name',
    'request.method ',
    'requ\u0435st.ip',
    'request.t\u0131me',
    'u\u017fer.id',
    '__proto__',
    'record.__proto__',
  ],
  ...['constructor', 'request.constructor', 'user.constructor', 'toString', '.', '..', 'record.a\nb', 'record.\u0000'],
];

/** In place of a value or at the end of a resource: some are sound, most nearly so. */
const variables = [
  ...['{jwt.role}', '{jwt.Role}', '{}', '{ }', '{user}', '{user.id }', '{ user.id}', "{user.id,'x'}", "{user.id ,'x'}"],
  ...[
    "{user.id,  'x'}",
    "{user.id, 'x}",
    '{user.id, x}',
    '{user.id, "x"}',
    "{user.id, ''}",
    "{user.id, 'x' }",
    '{user.id',
  ],
  ...[
    "{user.id, 'x'y}",
    "{user.id,, 'x'}",
    "{user.id, 'it''s'}",
    "{user.id, 'a,b'}",
    "{user.id, '*'}",
    "{*, 'x'}",
    '{**}',
  ],
  ...[
    '{* }',
    '{a}',
    '{{}',
    '{record.a.b}',
    '{record.}',
    "{jwt.role, 'x'}",
    '{request.time}',
    '{request.body}',
    '{USER.ID}',
  ],
  ...[
    "{'x'}",
    "{,'x'}",
    "{record.tags.0, 'x'}",
    "{user.id, 'a$b'}",
    '{',
    '{user.id',
    '',
    '$',
    '}',
    '$\u007buser.id}',
    '{user.id}}',
  ],
  ...[
    ' {user.id}',
    "{user.id, 'a}b'}",
    '{$\u007buser.id}}',
    '{*}${',
    '{?}?',
    '{$}{',
    '{$}$',
    "{record.status, '}'}",
    '{user.id,}',
  ],
].map((text) => `$${text}`);

const conditions: readonly unknown[] = [
  ...keys.map((key) => ({ StringEquals: { [key]: 'a' } })),
  ...[[], null, [null], {}, [['a']], ...variables].map((value) => ({ StringLike: { 'record.status': value } })),
  ...['StringEqual', 'stringEquals', 'ForSomeValue:StringEquals', 'ForAllValues', 'ForAllValues:', 'IfExists', ''].map(
    (operator) => ({ [operator]: { 'record.status': 'a' } }),
  ),
  ...['ForAnyValue:StringEqualsIfExists', 'ForAllValues:BoolIfExists', 'ForAllValues:StringNotLikeIfExists'].map(
    (operator) => ({ [operator]: { 'record.status': 'true' } }),
  ),
  ...['StringEqualsIfExistsIfExists', 'ForAnyValue:ForAnyValue:StringEquals', 'forAnyValue:StringEquals', ' Bool'].map(
    (operator) => ({ [operator]: { 'record.status': 'true' } }),
  ),
  ...['NullIfExists', 'ForAnyValue:Null', 'ForAllValues:Null', 'constructor', '__proto__', 'NotBool', 'BoolNot'].map(
    (operator) => ({ [operator]: { 'record.status': 'true' } }),
  ),
  ...['abc', '1e400', true, '$\u007buser.id}', '', null].map((value) => ({ NumericEquals: { 'record.n': value } })),
  ...['abc', true, '$\u007brequest.time}', '2023-02-29', ''].map((value) => ({ DateEquals: { 'record.when': value } })),
  ...['abc', 1, true, '10.0.0.0/33', '$\u007brequest.ip}'].map((value) => ({ IpAddress: { 'record.ip': value } })),
  ...[1, 'yes', 'TRUE', null, '$\u007bjwt.flag}'].map((value) => ({ Bool: { 'record.flag': value } })),
  ...[1, 'yes', 'TRUE', null].map((value) => ({ Null: { 'record.flag': value } })),
  ...[{}, { StringEquals: {} }, { StringEquals: 'x' }, { StringEquals: [] }, { StringEquals: null }, { Nonsense: {} }],
];

const resources: readonly Json[] = variables.map((text) => ({ Resource: `/item/${text}` }));
