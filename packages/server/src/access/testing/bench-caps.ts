import type { AccessContext } from '../context/context.ts';
import { compileAll } from './agreement.ts';

const id = '018bcfe5-0000-7000-8000-000000000001';
const statementsHeld = 500;
const samples = 200;
const repeats = 5;
const statementsPerPolicy = 50;

const plain = { Effect: 'Deny', Action: ['get*'], Resource: ['*'] };

/** Statements of which 500 have the 2,500 patterns and values that one person may hold, or fewer that are longer. */
const kinds: readonly (readonly [what: string, statement: (index: number) => object])[] = [
  [
    'the owner’s own records',
    (index) => ({
      Effect: 'Allow',
      Action: ['get*', 'list*'],
      Resource: [`/item/e${index}/*`, `/list/e${index}*`],
      Condition: { StringEquals: { 'record.owner': variable('user.id') } },
    }),
  ],
  ['resources by their beginning', (index) => ({ ...plain, Resource: four((n) => `/item/e${index}/${n}*`) })],
  [
    'equal texts, addresses',
    (index) => ({
      ...plain,
      Condition: { StringEquals: { 'user.email': `${index}@` }, NotIpAddress: { 'request.ip': ['10.0.0.0/8', '::1'] } },
    }),
  ],
  [
    'texts with two stars',
    (index) => ({ ...plain, Condition: { StringLike: { 'user.email': four((n) => `*${n}z${index}*`).slice(1) } } }),
  ],
  ['resources with two stars', (index) => ({ ...plain, Resource: four((n) => `*${n}z${index}*`) })],
  [
    'resources with a variable',
    (index) => ({ ...plain, Resource: four((n) => `*${n}${variable('user.id')}z${index}*`) }),
  ],
  ['the longest patterns', (index) => ({ ...plain, Resource: [`/*${'a'.repeat(250)}${index}*`] })],
];

function variable(key: string): string {
  return `\${${key}}`;
}

function four(make: (index: number) => string): readonly string[] {
  return [0, 1, 2, 3].map(make);
}

/**
 * Measures a decision with all that one person may hold, where no statement decides before the last. Each time is the
 * least of five in a row: the others include other load of the machine.
 */
export function benchCaps(say: (text: string) => void): void {
  say('\nwith all that a person may hold, milliseconds a decision\n');
  say(`${''.padEnd(30)}${'median'.padStart(10)}${'p99'.padStart(10)}${'p99, path of 8,192'.padStart(22)}\n`);
  for (const [what, statement] of kinds) {
    const statements = Array.from({ length: statementsHeld }, (_, index) => statement(index));
    const usual = decisionTimes(statements, `/item/order/${id}`);
    const long = decisionTimes(statements, `/${'a'.repeat(8191)}`);
    const [median, p99] = [usual.median.toFixed(3).padStart(10), usual.p99.toFixed(3).padStart(10)];
    say(`${what.padEnd(30)}${median}${p99}${long.p99.toFixed(1).padStart(22)}\n`);
  }
}

function decisionTimes(statements: readonly object[], path: string): { readonly median: number; readonly p99: number } {
  const policies: unknown[][] = [];
  for (let start = 0; start < statements.length; start += statementsPerPolicy)
    policies.push(statements.slice(start, start + statementsPerPolicy));
  const access = compileAll(policies);
  const context: AccessContext = {
    request: { method: 'GET', path, pathParameters: {}, queryParameters: new Map(), ip: '10.0.0.1', time: 0 },
    user: { id: 'u1', email: 'u1@example.com' },
    tenant: { id: 't1', code: 'one' },
    jwt: {},
    record: { id, owner: 'u2' },
  };
  const times: number[] = [];
  for (let sample = 0; sample < samples; sample++) {
    let least = Number.POSITIVE_INFINITY;
    for (let repeat = 0; repeat < repeats; repeat++) {
      const start = performance.now();
      access.rule('getorder', path, () => context);
      least = Math.min(least, performance.now() - start);
    }
    times.push(least);
  }
  times.sort((left, right) => left - right);
  return { median: times[samples / 2] ?? 0, p99: times[samples * 0.99] ?? 0 };
}
