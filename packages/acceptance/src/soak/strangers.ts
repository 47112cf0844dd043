/** Calls that have to be refused, each with what it has to be answered, and clients that hang up. */
import { connect } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { decodePart, encodePart } from '../app-token.ts';
import { type CallOptions, call, type Reply } from '../call.ts';
import { act, appUrl, type list, logIn, manage } from '../org.ts';
import { jsonl } from '../transfer-calls.ts';
import type { SoakCaller } from './soak-caller.ts';
import type { Stage, Workplace } from './stage.ts';

type Refusal = readonly [what: string, status: number, send: () => Promise<Reply<unknown>>];

const missing = '01890000-0000-7000-8000-000000000000';

export async function beRefused(caller: SoakCaller, { workplaces }: Stage): Promise<void> {
  const [one, other] = [any(workplaces), any(workplaces)];
  if (one === undefined || other === undefined) return;
  const refusals =
    one.admin.org.code === other.admin.org.code ? refusalsOf(one) : [...refusalsOf(one), foreign(one, other)];
  const refusal = any(refusals);
  if (refusal !== undefined) await caller.ask(...refusal);
}

function refusalsOf({ admin, member }: Workplace): readonly Refusal[] {
  const { org, token } = admin;
  const bare = (method: string, path: string, options: CallOptions = {}) => call(method, appUrl(org, path), options);
  const create = (body: unknown, headers = {}) => act(admin, 'POST', '/create/ticket', { body, headers });
  return [
    ['no token', 401, () => bare('GET', '/list/ticket')],
    ['junk as a token', 401, () => bare('GET', '/list/ticket', { token: 'junk' })],
    ['a token of an unknown key', 401, () => bare('GET', '/list/ticket', { token: ofUnknownKey(token) })],
    ['a token that was changed', 401, () => bare('GET', '/list/ticket', { token: changed(token) })],
    ['a token of the other gateway', 401, () => manage(org, 'GET', '/org', { token })],
    ['a builder’s token', 401, () => bare('GET', '/list/ticket', { token: org.builder.token })],
    ['a client that there is not', 401, () => logIn({ ...org, clientId: 'test_nobody' }, admin.email)],
    ['no such route', 404, () => act(admin, 'GET', '/nothing')],
    ['no such entity', 404, () => act(admin, 'GET', '/list/nothing')],
    ['no such record', 404, () => act(admin, 'GET', `/item/ticket/${missing}`)],
    ['a wrong method', 405, () => act(admin, 'PUT', '/list/ticket')],
    ['a body that is no JSON', 400, () => create('{"title":')],
    ['a body of text', 415, () => create('title', { 'content-type': 'text/plain' })],
    ['a body that is too large', 413, () => create({ title: 'a'.repeat(1_100_000) })],
    ['an unknown field', 400, () => create({ title: 'x', nothing: 1 })],
    ['a lookup of nothing', 400, () => create({ title: 'x', team_id: missing })],
    ['an unknown cursor', 400, () => act(admin, 'GET', '/list/ticket?nexttoken=AAAA')],
    ['a sort without an index', 200, () => act(admin, 'GET', '/list/ticket?sortby=label')],
    ['an export in an order without an index', 400, () => act(admin, 'GET', '/export/ticket?sortby=label')],
    [
      'groups',
      200,
      () => act(admin, 'GET', '/aggregate/ticket?group=team_id.title,day(created_at)&measure=count,sum:score'),
    ],
    ['groups by an unknown field', 400, () => act(admin, 'GET', '/aggregate/ticket?group=nothing')],
    ['ten thousand parameters', 400, () => act(admin, 'GET', `/list/ticket?${'a=1&'.repeat(2000)}`)],
    ['a denied create', 403, () => act(member, 'POST', '/create/ticket', { body: { title: 'x' } })],
    ['a denied entity', 403, () => act(member, 'GET', '/list/aclpolicy')],
    ['a batch of nothing that is there', 404, () => act(admin, 'POST', '/batch', { body: unknownBatch })],
    ['a definition of nonsense', 400, () => manage(org, 'POST', '/api/create-x', { body: { entityName: 7 } })],
  ];
}

function foreign(one: Workplace, other: Workplace): Refusal {
  return ['a token of another org', 401, () => act({ ...one.admin, org: other.admin.org }, 'GET', '/list/ticket')];
}

const unknownBatch = { mode: 'atomic', operations: [{ action: 'delete', entity: 'ticket', id: missing }] };

function ofUnknownKey(token: string): string {
  const [head = '', payload = '', signature = ''] = token.split('.');
  return `${encodePart({ ...decodePart<object>(head), kid: 'a'.repeat(43) })}.${payload}.${signature}`;
}

function changed(token: string): string {
  const [head = '', payload = '', signature = ''] = token.split('.');
  return `${head}.${encodePart({ ...decodePart<object>(payload), role: Math.random() })}.${signature}`;
}

/** Failures of sign-ins are braked, so they are rare: those that are right have to stay possible. */
export async function signInWrongly(caller: SoakCaller, { workplaces }: Stage): Promise<void> {
  const workplace = any(workplaces);
  if (workplace === undefined) return;
  const { org, email } = workplace.admin;
  await caller.ask('a wrong password', { statuses: [401, 429] }, () => logIn(org, email, 'not that one'));
  for (let waited = 0; waited < 30 && !caller.isOver; waited++) await after(1000);
}

/** Begins something, and is gone before it is answered. What it leaves behind it removes later. */
export async function hangUp(caller: SoakCaller, { workplaces }: Stage): Promise<void> {
  const workplace = any(workplaces);
  if (workplace === undefined) return;
  const { admin } = workplace;
  await caller.platform.up();
  const signal = AbortSignal.timeout(Math.ceil(Math.random() * 8));
  const headers = { authorization: `Bearer ${admin.token}` };
  const rows = '{"title":"scrap","text":"scrap"}\n'.repeat(20);
  const requests = [
    () => fetch(appUrl(admin.org, '/export/ticket'), { headers, signal }).then((reply) => reply.text()),
    () => fetch(appUrl(admin.org, '/list/ticket?pagesize=200'), { headers, signal }).then((reply) => reply.text()),
    () =>
      fetch(appUrl(admin.org, '/import/scrap'), {
        method: 'POST',
        headers: { ...headers, ...jsonl },
        body: rows,
        signal,
      }),
    () => halfRequest(admin.org.app, `POST /app/${admin.org.code}/create/scrap HTTP/1.1\r\nHost: x\r\n`),
    () =>
      halfRequest(
        admin.org.app,
        `POST /app/${admin.org.code}/create/scrap HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${admin.token}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"title":`,
      ),
  ];
  await any(requests)?.().catch(() => undefined);
  await after(250);
  if (Math.random() < 0.2) await removeScrap(caller, workplace);
}

/** A socket that says this much and goes away. */
async function halfRequest(baseUrl: string, text: string): Promise<void> {
  const { hostname, port } = new URL(baseUrl);
  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(text);
      setTimeout(() => socket.destroy(), Math.random() * 20);
    });
    socket.on('error', () => undefined);
    socket.once('close', () => resolve());
  });
}

async function removeScrap(caller: SoakCaller, { admin }: Workplace): Promise<void> {
  const found = await caller.ask('list of scrap', 200, () =>
    act<Awaited<ReturnType<typeof list>>>(admin, 'GET', '/list/scrap?pagesize=100'),
  );
  const operations = found.body.items.map(({ id }) => ({ action: 'delete', entity: 'scrap', id }));
  if (operations.length === 0) return;
  await caller.ask('removal of scrap', 200, () =>
    act(admin, 'POST', '/batch', { body: { mode: 'independent', operations } }),
  );
}

function any<T>(choices: readonly T[]): T | undefined {
  return choices[Math.floor(Math.random() * choices.length)];
}
