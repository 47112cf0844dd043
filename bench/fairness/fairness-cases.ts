/** Who is measured for `bench/fairness.ts`, and what is sent beside it. */
import {
  type AppUser,
  act,
  appUrl,
  create,
  defineEntity,
  definition,
  type Org,
} from '../../packages/acceptance/src/org.ts';
import type { Gateways } from '../../packages/acceptance/src/platform.ts';
import { founderOf, multiOrg } from '../../packages/acceptance/src/workspaces.ts';
import type { Call, LoadJob } from '../call-load.ts';
import { victimHeader } from './victim-header.ts';

export const caseNames = [
  'reads',
  'writes',
  'neighbour-writes',
  'lists',
  'batches',
  'imports',
  'exports',
  'flood-reads',
  'flood-lists',
  'flood-writes',
  'neighbour-flood',
] as const;

export interface Case {
  readonly name: (typeof caseNames)[number];
  readonly title: string;
  readonly calls: readonly Call[];
  readonly pace: LoadJob['pace'];
}

/** Its own load. */
export type Victim = Pick<LoadJob, 'port' | 'calls' | 'pace'>;

const perSecond = 40;
const hundredfold = { perSecond: 100 * perSecond } as const;
const records = 400;
const exported = 4000;
const imported = 2000;
const batched = 100;

/** The victim in a workspace of an org; aggressors in another org and in another workspace of the victim's org. */
export async function prepareFairness(
  gateways: Gateways,
): Promise<{ readonly victim: Victim; readonly cases: readonly Case[] }> {
  const [shared, foreign] = [await orgWithEntities(gateways), await orgWithEntities(gateways)];
  const victim = await filled(await founderOf(shared, 'Victim'));
  const neighbour = await filled(await founderOf(shared, 'Neighbour'));
  const stranger = await filled(await founderOf(foreign, 'Stranger'));
  await importRows(stranger.user, 'file', exported);
  const port = Number(new URL(gateways.app).port);
  const reads = (user: Filled) => [item(user)];
  const writes = (user: Filled) => [creation(user)];
  return {
    victim: {
      port,
      calls: [item(victim), list(victim), item(victim), creation(victim)].map(marked),
      pace: { perSecond },
    },
    cases: [
      { name: 'reads', title: 'another org reads, 100 times as much', calls: reads(stranger), pace: hundredfold },
      { name: 'writes', title: 'another org writes, 100 times as much', calls: writes(stranger), pace: hundredfold },
      {
        name: 'neighbour-writes',
        title: 'another workspace of the org writes, 100 times as much',
        calls: writes(neighbour),
        pace: hundredfold,
      },
      {
        name: 'lists',
        title: 'lists of 200 by search and filter, 32 connections',
        calls: [expensiveList(stranger)],
        pace: { connections: 32 },
      },
      {
        name: 'batches',
        title: `atomic batches of ${batched}, 16 connections`,
        calls: [batch(stranger)],
        pace: { connections: 16 },
      },
      {
        name: 'imports',
        title: `imports of ${imported} rows, 8 connections`,
        calls: [importOf(stranger)],
        pace: { connections: 8 },
      },
      {
        name: 'exports',
        title: `exports of ${exported} records, 8 connections`,
        calls: [request(stranger.user, { kind: 'export', method: 'GET', path: '/export/file' })],
        pace: { connections: 8 },
      },
      { name: 'flood-reads', title: 'reads, 200 connections', calls: reads(stranger), pace: { connections: 200 } },
      {
        name: 'flood-lists',
        title: 'lists of 20, 200 connections',
        calls: [list(stranger)],
        pace: { connections: 200 },
      },
      { name: 'flood-writes', title: 'writes, 200 connections', calls: writes(stranger), pace: { connections: 200 } },
      {
        name: 'neighbour-flood',
        title: 'another workspace of the org reads and writes, 200 connections',
        calls: [...reads(neighbour), ...writes(neighbour)],
        pace: { connections: 200 },
      },
    ],
  };
}

interface Filled {
  readonly user: AppUser;
  /** Of a record there is. */
  readonly id: string;
}

const fields = [
  { name: 'title', colType: 'string', validate: true, maxlength: 100, search: true },
  { name: 'region', colType: 'string', index: true },
  { name: 'amount', colType: 'number', validate: true, min: 0 },
  { name: 'note', colType: 'string' },
];

async function orgWithEntities(gateways: Gateways): Promise<Org> {
  const org = await multiOrg(gateways);
  for (const name of ['order', 'file', 'intake']) await defineEntity(org, definition(name, fields));
  return org;
}

async function filled(user: AppUser): Promise<Filled> {
  await importRows(user, 'order', records);
  return { user, id: (await create(user, 'order', order(0))).id };
}

async function importRows(user: AppUser, entity: string, count: number): Promise<void> {
  const reply = await act(user, 'POST', `/import/${entity}`, { body: rows(count), headers: jsonLines });
  if (reply.status !== 200 || reply.body.failed !== 0) throw new Error(`an import was answered ${reply.text}`);
}

const jsonLines = { 'content-type': 'application/x-ndjson' } as const;

function rows(count: number): string {
  return Array.from({ length: count }, (_, index) => `${JSON.stringify(order(index))}\n`).join('');
}

function order(index: number): Record<string, unknown> {
  return {
    title: `Order number ${index} ${index % 2 === 0 ? 'paid' : 'open'}`,
    region: `region-${index % 10}`,
    amount: 100 + index / 4,
    note: 'Please leave it with the neighbours when no one answers the door.',
  };
}

function item({ user, id }: Filled): Call {
  return request(user, { kind: 'item', method: 'GET', path: `/item/order/${id}` });
}

function list({ user }: Filled): Call {
  return request(user, { kind: 'list', method: 'GET', path: '/list/order?region=region-3&pagesize=20' });
}

function expensiveList({ user }: Filled): Call {
  return request(user, {
    kind: 'list',
    method: 'GET',
    path: '/list/file?q=order&amount=300&amount_op=gte&pagesize=200',
  });
}

function creation({ user }: Filled): Call {
  return request(user, { kind: 'create', method: 'POST', path: '/create/order', body: JSON.stringify(order(records)) });
}

function batch({ user }: Filled): Call {
  const operations = Array.from({ length: batched }, (_, index) => ({
    action: 'create',
    entity: 'order',
    data: order(index),
  }));
  return request(user, {
    kind: 'batch',
    method: 'POST',
    path: '/batch',
    body: JSON.stringify({ mode: 'atomic', operations }),
  });
}

function importOf({ user }: Filled): Call {
  const type = jsonLines['content-type'];
  return request(user, { kind: 'import', method: 'POST', path: '/import/intake', body: rows(imported), type });
}

/** So that the platform's side of it is distinguished (`report-calls.ts`). */
function marked({ kind, request }: Call): Call {
  return { kind, request: request.replace('\r\n\r\n', `\r\n${victimHeader}: yes\r\n\r\n`) };
}

interface Request {
  readonly kind: string;
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly type?: string;
}

function request(user: AppUser, { kind, method, path, body, type = 'application/json' }: Request): Call {
  const url = new URL(appUrl(user.org, path));
  const content = body === undefined ? [] : [`content-type: ${type}`, `content-length: ${Buffer.byteLength(body)}`];
  const lines = [
    `${method} ${url.pathname}${url.search} HTTP/1.1`,
    `host: ${url.host}`,
    `authorization: Bearer ${user.token}`,
    ...content,
  ];
  return { kind, request: `${lines.join('\r\n')}\r\n\r\n${body ?? ''}` };
}
