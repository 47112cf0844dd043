import { verbs } from '../verbs.ts';
import { damaged, type Json } from './damaged-statement.ts';
import type { Dice } from './dice.ts';
import { type Kind, kinds, nearValues, type Scalar } from './mean-values.ts';
import { entities, ids, type Palette } from './random-context.ts';

/** The data that are stored as the `statements` of a few policies: sound for the most part. */
export function randomPolicies(dice: Dice, palette: Palette): readonly unknown[] {
  return dice.list(1, 3, () => {
    if (dice.hits(1) && dice.hits(20)) return dice.pick([null, {}, 'x', undefined]);
    return dice.list(0, 3, () =>
      dice.hits(3) ? damaged(dice, randomStatement(dice, palette)) : randomStatement(dice, palette),
    );
  });
}

export function randomStatement(dice: Dice, palette: Palette): Json {
  return {
    ...(dice.hits(10) ? { Sid: dice.pick(['', 'A1', 'Read: the orders of an owner']) } : {}),
    Effect: dice.hits(68) ? 'Allow' : 'Deny',
    Action: dice.hits(20) ? randomAction(dice) : dice.list(1, 3, () => randomAction(dice)),
    Resource: dice.hits(20) ? randomResource(dice) : dice.list(1, 2, () => randomResource(dice)),
    ...(dice.hits(80) ? { Condition: randomCondition(dice, palette) } : {}),
    ...(dice.hits(25) ? { Fields: randomFields(dice) } : {}),
  };
}

export const fieldNames = [
  'status',
  'Status',
  'owner',
  'n',
  'data',
  's',
  'status😀',
  '__proto__',
  'constructor',
] as const;

function randomFields(dice: Dice): readonly string[] {
  const globs = ['*', 's*', 'status', 'owner', 'n', '?', 'status?', '*a*', 'Status', '__proto__', 'STATUS'];
  return dice.list(1, 3, () => `${dice.hits(30) ? '!' : ''}${dice.pick(globs)}`);
}

function randomAction(dice: Dice): string {
  if (dice.hits(55)) return '*';
  const verb = dice.pick(verbs);
  const entity = dice.pick([...entities, '*', '*', 'o*', '?????', 'order?', '*s']);
  const action = dice.hits(10) ? `*${entity}` : verb + entity;
  return dice.hits(10) ? action.toUpperCase() : action;
}

function randomResource(dice: Dice): string {
  if (dice.hits(62)) return '*';
  const place = dice.pick(['/item', '/*', '/update', '/list', '*/', '/i?em']);
  const entity = dice.pick([...entities, '*', 'order*', variable('request.pathParameters.entity')]);
  const variables = [variable('user.id'), variable('record.owner'), variable('request.pathParameters.ID')];
  const nested = variable(dice.pick(twinnedInsides));
  const odd = [
    nested,
    nested,
    nested,
    variable("jwt.status, 'u1'"),
    variable('*'),
    variable('?'),
    variable('record.tags'),
    variable('$'),
  ];
  return `${place}/${entity}/${dice.pick([...ids, '*', '?', 'u?', ...variables, ...variables, ...odd])}`;
}

/** Variables whose names are chosen by the author or sender of their object. */
const twinnedInsides = [
  ...['record.data.inner', 'record.Data.INNER', 'record.data.deep.x', "record.data.deep.x, 'u1'", 'record.Status'],
  ...[
    'request.body.status',
    'request.body.data.inner',
    'request.queryParameters.status',
    'jwt.owner',
    'jwt.data.inner',
  ],
];

function variable(inside: string): string {
  return `$\u007b${inside}}`;
}

/** Operators by the kind of what they compare. */
const operators: Readonly<Record<Kind, readonly string[]>> = {
  text: ['Equals', 'NotEquals', 'EqualsIgnoreCase', 'NotEqualsIgnoreCase', 'Like', 'NotLike'].map((o) => `String${o}`),
  number: orderedBy('Numeric'),
  date: orderedBy('Date'),
  address: ['IpAddress', 'NotIpAddress'],
  truth: ['Bool'],
};

export const operatorNames: readonly string[] = [...Object.values(operators).flat(), 'Null'];

function orderedBy(type: string): readonly string[] {
  const orders = ['Equals', 'NotEquals', 'LessThan', 'LessThanEquals', 'GreaterThan', 'GreaterThanEquals'];
  return orders.map((order) => type + order);
}

function randomCondition(dice: Dice, palette: Palette): Json {
  const condition: Record<string, Record<string, unknown>> = {};
  for (let left = dice.pick([1, 1, 1, 2, 2, 3]); left > 0; left--) {
    const { operator, key, expected } = randomEntry(dice, palette);
    condition[operator] = { ...condition[operator], [key]: expected };
  }
  return condition;
}

interface Entry {
  readonly operator: string;
  readonly key: string;
  readonly expected: unknown;
}

function randomEntry(dice: Dice, palette: Palette): Entry {
  const kind = dice.pick(['text', 'text', 'text', ...kinds] as const);
  const key = randomKey(dice, dice.hits(85) ? kind : dice.pick(kinds));
  if (dice.hits(7)) return { operator: 'Null', key, expected: dice.pick(['true', 'false', true, false, ['true']]) };
  const qualifier = key.toLowerCase().includes('tags')
    ? dice.pick([...sets, ...sets, ''])
    : dice.pick([...sets, ...plain]);
  const operator = dice.pick(operators[kind]);
  const values = () => randomExpected(dice, palette, { kind, operator });
  const expected = dice.hits(50) ? values() : dice.list(1, 3, values);
  const isOptional = dice.hits(20) && qualifier === '';
  return { operator: `${qualifier}${operator}${isOptional ? 'IfExists' : ''}`, key, expected };
}

const sets = ['ForAnyValue:', 'ForAllValues:'];
const plain = Array.from({ length: 10 }, () => '');

const keysByKind: Readonly<Record<Kind, readonly string[]>> = {
  text: ['status', 'STATUS', 'owner', 'Owner', 'k', 'constructor', 'tags', 'Tags'],
  number: ['n', 'n', 'N', 'tags'],
  date: ['when', 'when', 'When', 'tags'],
  address: ['ip', 'ip', 'IP', 'tags'],
  truth: ['flag', 'flag', 'Flag', 'tags'],
};
const oddKeys = [
  ...['\u212a', '__proto__', 'toString', 'missing', 'tags.0', 'tags.length', 'data', 'data.inner', 'data.INNER'],
  ...['data.deep.x', 'data.deep', 'data.Deep.X', 'data.inner.length'],
];
const nestedKeys = ['data.inner', 'data.Inner', 'Data.INNER', 'data.deep.x', 'data.Deep.X', 'DATA.deep.x'];
const fixedKeys: Readonly<Record<Kind, readonly string[]>> = {
  text: [
    ...['request.method', 'request.path', 'request.origin', 'request.pathParameters.id', 'user.id', 'user.email'],
    ...[
      'request.pathParameters.entity',
      'REQUEST.PathParameters.ID',
      'tenant.id',
      'tenant.CODE',
      'User.Id',
      'request.time',
    ],
    'request.queryParameters.status.b',
  ],
  number: ['request.time'],
  date: ['request.time', 'Request.Time'],
  address: ['request.ip', 'request.IP'],
  truth: ['request.method'],
};

function randomKey(dice: Dice, kind: Kind): string {
  if (dice.hits(20)) return dice.pick(fixedKeys[kind]);
  const roots = [
    ...['record', 'record', 'record', 'Record', 'jwt', 'request.body', 'request.queryParameters'],
    ...['record.before', 'record.after', 'Record.After'],
  ];
  if (dice.hits(10)) return `${dice.pick(roots)}.${dice.pick(nestedKeys)}`;
  return `${dice.pick(roots)}.${dice.pick(dice.hits(15) ? oddKeys : keysByKind[kind])}`;
}

function randomExpected(dice: Dice, palette: Palette, { kind, operator }: { kind: Kind; operator: string }): Scalar {
  if (dice.hits(1) && dice.hits(40)) return dice.pick(nearValues[kind]);
  const value = kind === 'text' && dice.hits(10) ? dice.pick(ids) : dice.pick(palette[kind]);
  if (kind !== 'text') return value;
  if (dice.hits(12)) return withVariable(dice, String(value));
  return operator.endsWith('Like') && dice.hits(60) ? globOf(dice, String(value)) : value;
}

function withVariable(dice: Dice, text: string): string {
  const insides = [
    ...[
      'user.id',
      'User.ID',
      'record.owner',
      'record.tags',
      'record.n',
      'record.before.owner',
      'record.after.data.inner',
      'jwt.status',
      'request.body.status',
      'request.time',
      'record.data.inner',
      "jwt.data.deep.x, 'u1'",
      'request.queryParameters.status',
    ],
    ...["record.owner, 'u1'", "jwt.missing, 'a*'", "record.missing, ''", '*', '?', '$', 'record.data', 'request.path'],
  ];
  const inside = variable(dice.pick(dice.hits(45) ? twinnedInsides : insides));
  return dice.pick([inside, inside, inside, inside + text, text + inside, `*${inside}`, `${inside}?`]);
}

function globOf(dice: Dice, text: string): string {
  const letters = Array.from(text);
  const from = dice.below(letters.length + 1);
  const length = dice.below(3);
  const filling = dice.hits(50) ? ['*'] : Array.from({ length }, () => '?');
  return [...letters.slice(0, from), ...filling, ...letters.slice(from + length)].join('');
}
