import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { type AddressInfo, BlockList } from 'node:net';
import { type TestContext, test } from 'node:test';
import { alertWebhookApi } from '@freehold/contract/management/alert-webhook';
import { platformAudit, readEntry } from '../audit/audit-entry.ts';
import { checkSchema } from '../lib/check-schema.ts';
import { uuidv7Source } from '../lib/ids.ts';
import type { CallRules } from '../lib/network/guarded-request.ts';
import { Problem } from '../lib/problem.ts';
import { openStore } from '../store/testing/open-store.ts';
import { retryMilliseconds } from './alert-delivery.ts';
import { createAlertWebhook } from './alert-webhook.ts';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver on this machine. */
async function startReceiver(t: TestContext, answer: RequestListener = (_, reply) => reply.writeHead(204).end()) {
  const received: Received[] = [];
  const state = { answer };
  const server = createServer(async (request, reply) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    received.push({ headers: request.headers, body });
    state.answer(request, reply);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/alerts` };
}

const auditContext = {
  at: '2026-01-01T00:00:00.000Z',
  actor: { kind: 'org_user', id: 'ann' },
  request_id: 'r',
} as const;
const command = { orgCode: 'acme', auditContext, managementUrl: 'https://manage.example' };
const event = { type: 'plan.limit_near', data: { metric: 'records', percent: 80, resets_at: null } };

async function open(rules: CallRules = { isDevelopment: true }) {
  const state = { now: Date.parse('2026-01-01T00:00:00Z') };
  const clock = { now: () => state.now };
  const { store, maintenance } = await openStore({ kind: 'memory', clock });
  const platform = store.scope('platform');
  const rootKey = Buffer.alloc(32, 7);
  const upgradeUrl = (base: string) => `${base}/problems/plan_limit_exceeded`;
  const common = { platform, clock, newId: uuidv7Source(clock), rootKey, rules, upgradeUrl };
  const space = { store, maintenance };
  const webhook = createAlertWebhook({ ...common, wake: () => undefined });
  const due = async () => (await maintenance.due('work', state.now, 10)).map(({ item }) => item);
  return {
    state,
    platform,
    space,
    webhook,
    announce: async () => void (await platform.commit(await webhook.announce('acme', event))),
    /** Does what is due once, as a runner does. */
    turn: async () => {
      for (const { value } of await due()) await webhook.job.run(space, JSON.parse(value), async () => undefined);
    },
    due,
    nextAt: async () => (await maintenance.due('work', Number.MAX_SAFE_INTEGER, 1))[0]?.item.due?.at,
    entries: async () =>
      (await platform.range(platformAudit('acme'), { limit: 100 })).flatMap((item) => readEntry(item) ?? []),
    last: async () => (await webhook.show('acme')).last_delivery,
  };
}

type Opened = Awaited<ReturnType<typeof open>>;

async function withReceiver(t: TestContext, answer?: RequestListener) {
  const receiver = await startReceiver(t, answer);
  const opened = await open();
  const { secret } = await opened.webhook.set(command, { url: receiver.url });
  return { ...receiver, ...opened, receiver: receiver.state, secret };
}

test('an alert arrives signed by the secret that was shown, and leaves nothing to do', async (t) => {
  const { announce, turn, due, received, secret, last, state } = await withReceiver(t);
  await announce();
  await turn();
  const [{ headers, body } = { headers: {}, body: '' }, ...others] = received;
  assert.equal(others.length, 0);
  const { id, ...message } = JSON.parse(body);
  const { type, data } = event;
  const upgrade_url = 'https://manage.example/problems/plan_limit_exceeded';
  assert.deepEqual(message, { type, timestamp: auditContext.at, data: { org: 'acme', ...data, upgrade_url } });
  assert.equal(headers['webhook-id'], id);
  assert.equal(headers['webhook-timestamp'], String(state.now / 1000));
  assert.equal(headers['content-type'], 'application/json');
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = createHmac('sha256', key)
    .update(`${id}.${state.now / 1000}.${body}`)
    .digest('base64');
  assert.equal(headers['webhook-signature'], `v1,${signed}`);
  assert.deepEqual(await due(), []);
  assert.deepEqual([(await last())?.state, (await last())?.status], ['delivered', 204]);
});

test('the secret is shown once, lies nowhere in the store, and each address has another', async (t) => {
  const { platform, webhook, secret, url } = await withReceiver(t);
  const again = await webhook.set(command, { url });
  assert.notEqual(again.secret, secret);
  assert.match(again.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.ok(!JSON.stringify(await webhook.show('acme')).includes('whsec_'));
  const stored = JSON.stringify(await platform.range('alert-webhook', { limit: 10 }));
  for (const one of [secret, again.secret]) assert.ok(!stored.includes(one.slice('whsec_'.length)));
});

test('what is not taken is sent again under the same id at growing distances, and then recorded in the audit log', async (t) => {
  const { announce, turn, received, state, nextAt, last, entries, due } = await withReceiver(t, (_, reply) =>
    reply.writeHead(500).end('x'.repeat(100_000)),
  );
  await announce();
  for (const wait of retryMilliseconds) {
    await turn();
    assert.equal(await nextAt(), state.now + wait);
    assert.deepEqual([(await last())?.state, (await last())?.failure], ['retrying', 'the answer has status 500']);
    state.now += wait - 1;
    assert.deepEqual(await due(), []);
    state.now += 1;
  }
  await turn();
  assert.equal(await nextAt(), undefined);
  const attempts = retryMilliseconds.length + 1;
  const times = received.map(({ headers }) => headers['webhook-timestamp']);
  assert.deepEqual([received.length, new Set(times).size], [attempts, attempts]);
  const [id, ...otherIds] = new Set(received.map(({ headers }) => headers['webhook-id']));
  assert.deepEqual(otherIds, []);
  assert.deepEqual([(await last())?.state, (await last())?.attempts], ['failed', attempts]);
  const entry = (await entries()).at(-1);
  assert.deepEqual(
    [entry?.action, entry?.actor.kind, entry?.target?.id, entry?.detail],
    ['alert_webhook.failed', 'platform', id, { type: event.type, attempts }],
  );
});

test('a receiver that is gone is not asked again, and one that asks for patience gets it', async (t) => {
  const { announce, turn, receiver, state, nextAt, last } = await withReceiver(t, (_, reply) =>
    reply.writeHead(503, { 'retry-after': '120' }).end(),
  );
  await announce();
  await turn();
  assert.equal(await nextAt(), state.now + 120_000);
  state.now += 120_000;
  receiver.answer = (_, reply) => reply.writeHead(410).end();
  await turn();
  assert.equal(await nextAt(), undefined);
  assert.deepEqual([(await last())?.state, (await last())?.attempts], ['failed', 2]);
});

test('no redirect is followed, and no answer but a 2xx says that a message has arrived', async (t) => {
  const other = await startReceiver(t);
  const { announce, turn, receiver, last, state, nextAt } = await withReceiver(t);
  for (const status of [301, 302, 307, 308, 304, 400]) {
    receiver.answer = (_, reply) => reply.writeHead(status, { location: other.url }).end();
    await announce();
    await turn();
    assert.deepEqual([(await last())?.state, (await last())?.status], ['retrying', status]);
  }
  receiver.answer = (_, reply) => reply.destroy();
  await announce();
  await turn();
  assert.deepEqual([(await last())?.status, (await last())?.failure], [null, 'there was no answer (ECONNRESET)']);
  assert.equal(other.received.length, 0);
  assert.ok(((await nextAt()) ?? 0) > state.now);
});

test('what waits goes to the address that stands when it is sent, and nowhere once there is none', async (t) => {
  const { announce, turn, webhook, received, receiver, state } = await withReceiver(t, (_, reply) =>
    reply.writeHead(500).end(),
  );
  const other = await startReceiver(t);
  await announce();
  await turn();
  await webhook.set(command, { url: other.url });
  state.now += retryMilliseconds[0] ?? 0;
  await turn();
  assert.deepEqual([received.length, other.received.length], [1, 1]);
  receiver.answer = (_, reply) => reply.writeHead(204).end();
  await announce();
  await webhook.remove(command);
  await turn();
  assert.deepEqual([received.length, other.received.length], [1, 1]);
  assert.deepEqual(await webhook.announce('acme', event), []);
});

test('a platform that ends cuts off what it sends, and the work stays as it was', async (t) => {
  const { announce, webhook, space, due, received, last } = await withReceiver(t, () => undefined);
  await announce();
  const [item] = await due();
  const stopped = new Error('stopped');
  const sent = webhook.job.run(space, JSON.parse(item?.value ?? ''), async () => {
    throw stopped;
  });
  while (received.length === 0) await new Promise((resolve) => setImmediate(resolve));
  webhook.close();
  await assert.rejects(sent, stopped);
  assert.deepEqual(await due(), [item]);
  assert.equal(await last(), null);
});

test('tests take the place of one another, are sent once, and are in no audit log', async (t) => {
  const { webhook, turn, due, received, last, entries } = await withReceiver(t, (_, reply) =>
    reply.writeHead(500).end(),
  );
  const ids = [(await webhook.test('acme')).id, (await webhook.test('acme')).id];
  assert.equal((await due()).length, 1);
  await turn();
  assert.deepEqual(
    received.map(({ body }) => [JSON.parse(body).id, JSON.parse(body).type]),
    [[ids[1], 'webhook.test']],
  );
  assert.deepEqual([(await last())?.id, (await last())?.state], [ids[1], 'failed']);
  assert.deepEqual(
    (await entries()).map(({ action }) => action),
    ['alert_webhook.set'],
  );
});

test('the work of an org is of this kind', async (t) => {
  const { announce, due, webhook } = await withReceiver(t);
  await announce();
  const [item] = await due();
  assert.equal(JSON.parse(item?.value ?? '').job, webhook.job.name);
});

function isWrong(error: unknown): boolean {
  return error instanceof Problem && ['validation_failed', 'unknown_field'].includes(error.code);
}

async function assertRefused({ webhook, platform }: Opened, bodies: readonly unknown[]): Promise<void> {
  for (const body of bodies) {
    // A body that the gateway refuses by the contract does not come here.
    if (checkSchema(alertWebhookApi.setAlertWebhook.body, body).length > 0) continue;
    await assert.rejects(webhook.set(command, body as { readonly url: string }), isWrong, JSON.stringify(body));
  }
  assert.deepEqual(await platform.range('alert-webhook', { limit: 1 }), []);
  assert.deepEqual(await platform.range(platformAudit('acme'), { limit: 1 }), []);
}

test('in production an address is https and public, in development also this machine, and nothing beside it', async () => {
  const hosts = ['127.0.0.1', '[::1]', '10.0.0.1', '169.254.169.254', '100.64.0.1', '[::ffff:10.0.0.1]', '0x7f.1'];
  const production = hosts.map((host) => ({ url: `https://${host}/` }));
  const schemes = ['http', 'ftp', 'file'].map((scheme) => ({ url: `${scheme}://receiver.example/` }));
  const shapes = [null, [], 'x', {}, { url: 1 }, { url: '' }, { url: 'x' }, { url: 'https://a.example', other: 1 }];
  const parts = ['https://me@a.example/', 'https://me:pw@a.example/', 'https://a.example/#x', 'https://a.example/#'];
  const long = `https://a.example/${'x'.repeat(2048)}`;
  const refused = [...production, ...schemes, ...shapes, ...[...parts, long].map((url) => ({ url }))];
  await assertRefused(await open({ isDevelopment: false }), refused);
  const inDevelopment = [...shapes, ...production.slice(2, 6), ...parts.map((url) => ({ url }))];
  await assertRefused(await open(), inDevelopment);
});

test('what a name stands for is judged when it is called, and networks that the operator names may be called', async (t) => {
  const { url, received } = await startReceiver(t);
  const { port } = new URL(url);
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  const alsoAllowed = new BlockList();
  alsoAllowed.addSubnet('127.0.0.0', 8, 'ipv4');
  for (const [rules, failure] of [
    [{ isDevelopment: false, resolve }, 'the name resolves to an address that is not public'],
    // It gets as far as the handshake, which this receiver does not understand.
    [{ isDevelopment: false, resolve, alsoAllowed }, 'there was no answer (EPROTO)'],
  ] as const) {
    const opened = await open(rules);
    await opened.webhook.set(command, { url: `https://receiver.example:${port}/` });
    await opened.announce();
    await opened.turn();
    assert.equal((await opened.last())?.failure, failure);
  }
  assert.equal(received.length, 0);
});
