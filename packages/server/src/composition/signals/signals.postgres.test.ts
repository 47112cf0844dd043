/** Nodes that tell each other by a real server, whose connections are cut, stalled and moved. */
import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createAccessEpochs } from '../../iam/port.ts';
import { SignalLine } from '../../signals/signal-line.ts';
import type { SignalledCache } from '../../signals/signal-set.ts';
import { openSignals } from '../../store/postgres/connections/signal-connection.ts';
import { eventually } from '../../store/postgres/testing/eventually.ts';
import { fakeCitus } from '../../store/postgres/testing/fake-citus.ts';
import { startPooler, whyNotPooler } from '../../store/postgres/testing/pooler.ts';
import { startStallingProxy } from '../../store/postgres/testing/stalling-proxy.ts';
import { type OwnServer, startOwnServer, whyNotOwn } from '../../store/postgres/testing/test-server.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const nothing: SignalledCache = { bump: () => undefined, bumpOwner: () => undefined, bumpAll: () => undefined };

async function nodeAt(t: TestContext, url: string, node: string) {
  const tokens = createAccessEpochs();
  const errors: unknown[] = [];
  let drops = 0;
  const drop = () => {
    drops += 1;
  };
  const counting: SignalledCache = { ...nothing, bumpAll: drop };
  const line = new SignalLine({
    node,
    caches: {
      ...{ tokens: [tokens, counting], sessions: [nothing], rights: [nothing] },
      ...{ config: [nothing], plan: [nothing], keys: [nothing] },
    },
    now: () => performance.now(),
    open: (ears) => openSignals(url, 'platform', ears),
    onError: (error) => errors.push(error),
  });
  t.after(() => line.close());
  await line.begin();
  return {
    ...{ line, tokens, errors },
    drops: () => drops,
    heard: (is = true) => eventually(`${node} to be ${is ? 'heard' : 'unheard'}`, async () => line.isHeard === is),
  };
}

type Node = Awaited<ReturnType<typeof nodeAt>>;

/** Ends when the other node has dropped what it kept under a name that this one raises. */
async function passes(from: Node, to: Node, name = `org#acme-test-${performance.now()}`): Promise<void> {
  const kept = to.tokens.current(name);
  from.line.raise({ kind: 'tokens', name });
  await eventually('the signal', async () => to.tokens.current(name) !== kept);
}

describe('signals on PostgreSQL', { skip: whyNotOwn }, () => {
  let server: OwnServer;
  before(async () => {
    server = await startOwnServer();
  });
  after(() => server.stop());

  const twoOn = async (t: TestContext, urls: readonly [string, string] = [server.url, server.url]) => {
    const nodes = [await nodeAt(t, urls[0], 'one'), await nodeAt(t, urls[1], 'other')] as const;
    for (const node of nodes) await node.heard();
    return nodes;
  };

  test('pass from node to node, by name, without anything else being dropped', async (t) => {
    const [one, other] = await twoOn(t);
    await passes(one, other);
    const before = [one.drops(), other.drops()];
    for (let count = 0; count < 20; count++) await passes(count % 2 === 0 ? one : other, count % 2 === 0 ? other : one);
    assert.deepEqual([one.drops(), other.drops()], before);
    assert.deepEqual([one.errors, other.errors], [[], []]);
  });

  test('pass again after the server ended both sessions, with what was raised meanwhile', async (t) => {
    const [one, other] = await twoOn(t);
    const kept = other.tokens.current('org#acme-test-u');
    const drops = other.drops();
    await server.run(`select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_notify%'
      and pid <> pg_backend_pid()`);
    await eventually('the loss', async () => one.errors.length > 0);
    one.line.raise({ kind: 'tokens', name: 'org#acme-test-u' });
    await eventually('the drop', async () => other.tokens.current('org#acme-test-u') !== kept);
    for (const node of [one, other]) await node.heard();
    assert.ok(other.drops() > drops, 'a new LISTEN drops what was kept before');
    await passes(one, other);
    await passes(other, one);
  });

  test('a line that loses every byte is noticed and opened again; others drop all of the node that is not heard', async (t) => {
    const proxy = await startStallingProxy(server.url);
    t.after(() => proxy.stop());
    const [one, other] = await twoOn(t, [proxy.url, server.url]);
    await passes(one, other);
    const drops = { one: one.drops(), other: other.drops() };
    proxy.stall();
    // The commit is stored, and its signal does not leave.
    one.line.raise({ kind: 'tokens', name: 'org#acme-test-u' });
    await one.heard(false);
    await eventually('the silence', async () => other.drops() > drops.other);
    assert.equal(other.line.isHeard, true);
    proxy.pass();
    await one.heard();
    assert.ok(one.drops() > drops.one);
    await passes(one, other);
    await passes(other, one);
  });

  test('on a cluster pass through the coordinator, whichever server the address names', async (t) => {
    const worker = await startOwnServer();
    t.after(() => worker.stop());
    const { password, port } = new URL(server.url);
    await worker.run(`${fakeCitus}
      update pg_catalog.pg_dist_node set nodeport = ${port};
      update pg_catalog.pg_dist_local_group set groupid = 1;
      alter role owner password '${password}'`);
    const [one, other] = await twoOn(t, [Object.assign(new URL(worker.url), { password }).href, server.url]);
    await passes(one, other);
    await passes(other, one);
  });

  test('10,000 changes are all signalled, and leave nothing behind', async (t) => {
    const [one, other] = await twoOn(t);
    const names = Array.from({ length: 10_000 }, (_, index) => `org#o${index % 50}-test-${index}`);
    const signalled = async (): Promise<number> => {
      const kept = names.map((name) => other.tokens.current(name));
      for (const [index, name] of names.entries()) {
        one.line.raise({ kind: 'tokens', name });
        if (index % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      }
      await eventually('all of them', () => names.every((name, at) => other.tokens.current(name) !== kept[at]));
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    await signalled();
    const before = await signalled();
    for (let round = 0; round < 3; round++) await signalled();
    const growth = (await signalled()) - before;
    assert.ok(growth < 1_000_000, `${growth} bytes more after 40,000 further signals`);
    assert.deepEqual([one.errors, other.errors], [[], []]);
  });

  test('pass through PgBouncer in session mode', { skip: whyNotPooler }, async (t) => {
    const pooler = await startPooler(server.url, ['pool_mode = session', 'server_reset_query = discard all']);
    t.after(() => pooler.stop());
    const [one, other] = await twoOn(t, [pooler.url, server.url]);
    await passes(one, other);
    await passes(other, one);
  });

  test('PgBouncer in transaction mode leaves a node unheard, with the reason', { skip: whyNotPooler }, async (t) => {
    const pooler = await startPooler(server.url, ['pool_mode = transaction']);
    t.after(() => pooler.stop());
    const one = await nodeAt(t, pooler.url, 'one');
    assert.equal(one.line.isHeard, false);
    assert.match(inspect(one.errors), /set it to session mode/);
  });

  test('go on by the server that takes over', async (t) => {
    const primary = await startOwnServer();
    t.after(() => primary.stop());
    const standby = await primary.standby();
    t.after(() => standby.stop());
    const { username, password, host } = new URL(primary.url);
    const url = `postgres://${username}:${password}@${new URL(standby.url).host},${host}/postgres`;
    const [one, other] = await twoOn(t, [url, url]);
    await passes(one, other);
    const drops = other.drops();
    await primary.kill();
    await other.heard(false);
    const kept = other.tokens.current('org#acme-test-u');
    one.line.raise({ kind: 'tokens', name: 'org#acme-test-u' });
    await standby.run('select pg_promote()');
    for (const node of [one, other]) await node.heard();
    await eventually('the drop', async () => other.tokens.current('org#acme-test-u') !== kept);
    assert.ok(other.drops() > drops);
    await passes(other, one);
  });
});
