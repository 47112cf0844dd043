/** Callers who write until the platform is gone, and note what they ask and what they are answered. */
import assert from 'node:assert/strict';
import { creating } from '../batches.ts';
import { type AppUser, act, newEmail, type Org, random, type StoredRecord, signIn } from '../org.ts';
import { makeWorkspace } from '../workspaces.ts';
import type { Ledger, OrderBody } from './ledger.ts';

export interface OrderStage {
  /** Holds `adminacl` in a workspace that has the entity `order`. */
  readonly founder: AppUser;
  readonly ledger: Ledger;
  /** From 0 up to 1. */
  readonly chance: () => number;
}

export interface Stage extends OrderStage {
  /** Whose people arrive in no workspace. */
  readonly multi: Org;
}

export const titles = ['red', 'green', 'blue', 'black'] as const;

/** Resolves when the platform is gone. Rejects where it answers anything but success. */
export async function actAll(stage: Stage, orders: readonly StoredRecord[]): Promise<void> {
  const shares = [0, 1, 2, 3].map((writer) => orders.filter((_, index) => index % 4 === writer));
  const actors = [
    ...shares.map((own) => () => writeOrder(stage, own)),
    () => grantSomething(stage),
    () => invite(stage),
    () => arrive(stage),
    () => foundWorkspace(stage),
  ];
  await Promise.all(actors.map(untilGone));
}

/** Resolves when no connection to the platform can be made any more. */
export async function untilGone(turn: () => Promise<void>): Promise<void> {
  try {
    for (;;) await turn();
  } catch (error) {
    // What `fetch` throws when a connection cannot be made or breaks off.
    if (!(error instanceof TypeError)) throw error;
  }
}

/** Each order has one writer, so what is known of it is one history. */
async function writeOrder(stage: Stage, own: StoredRecord[]): Promise<void> {
  const { chance } = stage;
  const place = Math.floor(chance() * own.length);
  const chosen = own[place];
  const dice = chance();
  const isCrowded = own.length > 60;
  if (chosen === undefined || dice < (isCrowded ? 0.1 : 0.45)) own.push(...(await createOrder(stage)));
  else if (dice < (isCrowded ? 0.15 : 0.6)) own.push(...(await createTogether(stage)));
  else if (dice < (isCrowded ? 0.5 : 0.8)) own[place] = await changeOrder(stage, chosen);
  else {
    await removeOrder(stage, chosen);
    own.splice(place, 1);
  }
}

export async function createOrder({ founder, ledger, chance }: OrderStage): Promise<readonly StoredRecord[]> {
  const [key, body] = [random(), orderBody(chance)];
  const { records = [] } = await ledger.record({ kind: 'create', key, body }, () => sendOrder(founder, key, body));
  return records;
}

export async function createTogether({ founder, ledger, chance }: OrderStage): Promise<readonly StoredRecord[]> {
  const [key, bodies] = [random(), [orderBody(chance), orderBody(chance), orderBody(chance)]];
  const { records = [] } = await ledger.record({ kind: 'batch', key, bodies }, () => sendBatch(founder, key, bodies));
  return records;
}

export async function changeOrder(
  { founder, ledger, chance }: OrderStage,
  { id }: StoredRecord,
): Promise<StoredRecord> {
  const title = `${titleBy(chance)} again ${random()}`;
  const { records = [] } = await ledger.record({ kind: 'update', id, title }, async () => {
    const reply = await act(founder, 'PUT', `/update/order/${id}`, { body: { title } });
    assert.equal(reply.status, 200, reply.text);
    return { records: [reply.body] };
  });
  const [changed] = records;
  assert.ok(changed !== undefined);
  return changed;
}

export async function removeOrder({ founder, ledger }: OrderStage, { id }: StoredRecord): Promise<void> {
  await ledger.record({ kind: 'delete', id }, async () => {
    const reply = await act(founder, 'DELETE', `/delete/order/${id}`);
    assert.equal(reply.status, 204, reply.text);
    return {};
  });
}

/** Also how a request without an answer is repeated. */
export async function sendOrder(founder: AppUser, key: string, body: OrderBody) {
  const reply = await act(founder, 'POST', '/create/order', { body, headers: { 'idempotency-key': key } });
  assert.equal(reply.status, 201, reply.text);
  return { records: [reply.body] };
}

export async function sendBatch(founder: AppUser, key: string, bodies: readonly OrderBody[]) {
  const operations = bodies.map((body) => creating('order', body));
  const reply = await act<{ readonly results: readonly { readonly record: StoredRecord }[] }>(
    founder,
    'POST',
    '/batch',
    { body: { mode: 'atomic', operations }, headers: { 'idempotency-key': key } },
  );
  assert.equal(reply.status, 200, reply.text);
  return { records: reply.body.results.map(({ record }) => record) };
}

function orderBody(chance: () => number): OrderBody {
  return { title: titleBy(chance), code: random(), secret: random() };
}

function titleBy(chance: () => number): string {
  return titles[Math.floor(chance() * titles.length)] ?? titles[0];
}

/** Fewer than the links that one user may have: a fast machine asks for more than these before it is killed. */
const linksOfRoundMax = 60;

async function grantSomething({ founder, ledger }: Stage): Promise<void> {
  const name = `policy-${random()}`;
  const statements = [{ Effect: 'Allow', Action: ['listorder'], Resource: ['*'] }];
  const policyId = await made(
    ledger.record({ kind: 'policy', name }, () => post(founder, '/create/aclpolicy', { name, statements })),
  );
  if (ledger.countOf('link') >= linksOfRoundMax) return;
  const link = { user_id: founder.id, acl_policy_id: policyId };
  await ledger.record({ kind: 'link', policyId }, () => post(founder, '/create/useraclpolicy', link));
}

async function invite({ founder, ledger }: Stage): Promise<void> {
  const email = newEmail('guest');
  await ledger.record({ kind: 'invitation', email }, () => post(founder, '/user/invitations', { email }));
}

async function arrive({ founder, ledger }: Stage): Promise<void> {
  const email = newEmail('user');
  await ledger.record({ kind: 'sign-in', email }, () => signIn(founder.org, email));
}

async function foundWorkspace({ multi, ledger }: Stage): Promise<void> {
  const [email, name] = [newEmail('owner'), random()];
  const owner = await signIn(multi, email);
  await ledger.record({ kind: 'workspace', email, name }, async () => {
    const reply = await makeWorkspace(owner, { name });
    assert.equal(reply.status, 201, reply.text);
    return { id: reply.body.id };
  });
}

async function post(user: AppUser, path: string, body: unknown): Promise<{ readonly id: string }> {
  const reply = await act<{ id: string }>(user, 'POST', path, { body });
  assert.equal(reply.status, 201, reply.text);
  return { id: reply.body.id };
}

async function made(answer: Promise<{ readonly id?: string }>): Promise<string> {
  return (await answer).id ?? '';
}
