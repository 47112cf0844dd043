/**
 * Measures the speed of the engine beside three others on the same statements and requests, in turns in one run.
 *
 *   npm run bench -- access
 */
import type { AccessContext } from '../../context/context.ts';
import { compileAll } from '../agreement.ts';
import { benchCaps } from '../bench-caps.ts';
import {
  type BenchRequest,
  type BenchStatement,
  casbinDecider,
  caslDecider,
  cedarDecider,
  type Decider,
  ourDecider,
} from './bench-rivals.ts';

const rounds = 7;
const roundMilliseconds = 200;

const context: AccessContext = {
  request: { method: 'GET', path: '/', pathParameters: {}, queryParameters: new Map(), ip: '10.0.0.1', time: 0 },
  user: { id: 'u1', email: 'u1@example.com' },
  tenant: { id: 't1', code: 'one' },
  jwt: {},
  record: { owner: 'u1', n: 7, status: 'open' },
};

const statements: readonly BenchStatement[] = [
  { effect: 'Allow', verb: 'get', entity: 'order', resource: '/item/order/*', pattern: /^\/item\/order\// },
  { effect: 'Allow', verb: 'get', entity: 'invoice', resource: '/item/invoice/*', pattern: /^\/item\/invoice\// },
  { effect: 'Allow', verb: 'get', entity: 'customer', resource: '/item/customer/*', pattern: /^\/item\/customer\// },
  { effect: 'Allow', verb: 'get', entity: 'product', resource: '/item/product/*', pattern: /^\/item\/product\// },
  { effect: 'Allow', verb: 'get', entity: 'ticket', resource: '/item/ticket/*', pattern: /^\/item\/ticket\// },
  { effect: 'Allow', verb: 'get', entity: 'note', resource: '/item/note/*', pattern: /^\/item\/note\// },
  { effect: 'Allow', verb: 'list', entity: 'order', resource: '/list/order*', pattern: /^\/list\/order/ },
  { effect: 'Allow', verb: 'list', entity: 'invoice', resource: '/list/invoice*', pattern: /^\/list\/invoice/ },
  { effect: 'Allow', verb: 'list', entity: 'customer', resource: '/list/customer*', pattern: /^\/list\/customer/ },
  { effect: 'Allow', verb: 'list', entity: 'product', resource: '/list/product*', pattern: /^\/list\/product/ },
  { effect: 'Allow', verb: 'list', entity: 'ticket', resource: '/list/ticket*', pattern: /^\/list\/ticket/ },
  { effect: 'Allow', verb: 'list', entity: 'note', resource: '/list/note*', pattern: /^\/list\/note/ },
  { effect: 'Allow', verb: 'count', entity: '*', resource: '/count/*', pattern: /^\/count\// },
  { effect: 'Allow', verb: '*', entity: 'draft', resource: '*' },
  { effect: 'Allow', verb: 'update', entity: '*', resource: '/update/*/own-*', pattern: /^\/update\/.*\/own-/s },
  { effect: 'Allow', verb: 'create', entity: '*', resource: '/create/*', pattern: /^\/create\// },
  { effect: 'Deny', verb: 'get', entity: '*', resource: '/item/*/secret-*', pattern: /^\/item\/.*\/secret-/s },
  { effect: 'Deny', verb: 'create', entity: 'invoice', resource: '*' },
  { effect: 'Deny', verb: '*', entity: '*', resource: '/delete/customer/*', pattern: /^\/delete\/customer\// },
  { effect: 'Deny', verb: 'list', entity: '*', resource: '/list/hidden*', pattern: /^\/list\/hidden/ },
];

const asked: readonly (readonly [verb: string, entity: string, resource: string])[] = [
  ['get', 'order', '/item/order/018bcfe5-0000-7000-8000-000000000001'],
  ['get', 'note', '/item/note/018bcfe5-0000-7000-8000-000000000002'],
  ['get', 'note', '/item/note/secret-018bcfe5'],
  ['list', 'customer', '/list/customer'],
  ['list', 'hidden', '/list/hidden'],
  ['count', 'order', '/count/order'],
  ['create', 'invoice', '/create/invoice'],
  ['create', 'order', '/create/order'],
  ['update', 'ticket', '/update/ticket/own-1'],
  ['update', 'ticket', '/update/ticket/018bcfe5'],
  ['delete', 'customer', '/delete/customer/1'],
  ['delete', 'draft', '/delete/draft/1'],
];
const requests: readonly BenchRequest[] = asked.map(([verb, entity, resource]) => ({
  verb,
  entity,
  resource,
  context,
}));

async function main(): Promise<void> {
  say(
    `Node ${process.version}, ${statements.length} statements, ${rounds} rounds of ${roundMilliseconds} ms, medians\n`,
  );
  await compare('globs without conditions', statements);
  await compare(
    'with two conditions each',
    statements.map((statement) => ({ ...statement, below: 10 })),
  );
  worstCase();
  benchCaps(say);
}

async function compare(title: string, held: readonly BenchStatement[]): Promise<void> {
  const deciders: readonly (readonly [name: string, decide: Decider])[] = [
    ['Freehold', ourDecider(held, requests)],
    ['CASL', caslDecider(held, requests)],
    ['Cedar (wasm)', cedarDecider(held, requests)],
    ['casbin', await casbinDecider(held, requests)],
  ];
  assertAlike(deciders);
  const rates = new Map<string, number[]>(deciders.map(([name]) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    // The round before the first one warms up.
    for (const [name, decide] of deciders) if (rate(decide, round < 0) > 0) rates.get(name)?.push(rate(decide));
  }
  const ours = median(rates.get('Freehold') ?? []);
  say(`\n${title}\n`);
  for (const [name, all] of rates) {
    const perSecond = median(all);
    say(
      `${name.padEnd(14)}${String(Math.round(perSecond)).padStart(12)} decisions/s   1 : ${(ours / perSecond).toFixed(1)}\n`,
    );
  }
}

function assertAlike(deciders: readonly (readonly [name: string, decide: Decider])[]): void {
  for (const place of requests.keys()) {
    const said = deciders.map(([name, decide]) => `${name}: ${decide(place)}`);
    if (new Set(said.map((one) => one.split(': ')[1])).size > 1) throw new Error(`${asked[place]}: ${said.join(', ')}`);
  }
}

function rate(decide: Decider, isShort = false): number {
  const until = performance.now() + roundMilliseconds / (isShort ? 2 : 1);
  const start = performance.now();
  let decisions = 0;
  while (performance.now() < until) {
    for (let turn = 0; turn < 20; turn++) for (let place = 0; place < requests.length; place++) decide(place);
    decisions += 20 * requests.length;
  }
  return (decisions * 1000) / (performance.now() - start);
}

/** The dearest patterns that may be written, against the longest paths and values, each twice as long as the one before. */
function worstCase(): void {
  const patterns = [
    `/*${'a'.repeat(252)}b*`,
    `/*${'a?'.repeat(126)}b*`,
    `/${'*aaaaaaaaaaaaab'.repeat(15)}*`,
    `/${'*a?a?a?a?a?a?a'.repeat(15)}*b`,
    `/*${'ab'.repeat(120)}c*`,
  ];
  say('\nthe worst patterns against long texts, milliseconds a decision\n');
  for (const length of [1024, 2048, 4096, 8192]) {
    const text = `/${'a'.repeat(length - 1)}`;
    const costs = patterns.flatMap((pattern) => [
      milliseconds({ Effect: 'Allow', Action: 'get*', Resource: pattern }, text),
      milliseconds(
        { Effect: 'Allow', Action: 'get*', Resource: '*', Condition: { StringLike: { 'request.path': pattern } } },
        text,
      ),
    ]);
    say(`${String(length).padStart(6)} letters${costs.map((cost) => cost.toFixed(4).padStart(10)).join('')}\n`);
  }
}

function milliseconds(statement: unknown, path: string): number {
  const access = compileAll([[statement]]);
  const long = { ...context, request: { ...context.request, path } };
  const times: number[] = [];
  for (let turn = 0; turn < 300; turn++) {
    const start = performance.now();
    access.rule('getorder', path, () => long);
    times.push(performance.now() - start);
  }
  return median(times.slice(100));
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}

function say(text: string): void {
  process.stdout.write(text);
}

await main();
