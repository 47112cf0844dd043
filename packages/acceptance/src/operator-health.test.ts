import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { documentedManagement } from './documented-gateway.ts';
import { eventually } from './eventually.ts';
import { assertForOperatorAlone, operate, shown } from './operator.ts';
import { create, defineEntity, definition, foundedOrg, manage } from './org.ts';
import { operatorKey, withOperator } from './plans.ts';
import { whyNoDataDir } from './platform.ts';
import { platformOf, platformOfFile } from './platform-for-tests.ts';

interface Health {
  readonly state: string;
  readonly nodes: readonly { readonly id: string; readonly this_node: boolean; readonly workers: object }[];
  readonly nodes_listed: string;
  readonly node: {
    readonly id: string;
    readonly version: string;
    readonly node_version: string;
    readonly started_at: string;
    readonly draining: boolean;
    readonly resident_bytes: number;
    readonly workers: readonly {
      readonly name: string;
      readonly state: string;
      readonly failures: number;
      readonly event_loop_delay: { readonly p99_ms: number; readonly max_ms: number } | null;
      readonly heap_used_bytes: number | null;
    }[];
  };
  readonly stores: readonly {
    readonly space: string;
    readonly state: string;
    readonly synchronous: string | null;
    readonly data_bytes: number | null;
    readonly index_bytes: number | null;
    readonly log_bytes: number | null;
    readonly sizes_unknown: string | null;
    readonly last_failure: unknown;
  }[];
  readonly servers: readonly unknown[];
  readonly queues: readonly { readonly space: string; readonly queue: string; readonly due: number }[];
  readonly jobs: readonly {
    readonly name: string;
    readonly queue: string;
    readonly runs: number;
    readonly last_run_at: string | null;
    readonly due: number | null;
    readonly lease: { readonly holder: string } | null;
  }[];
}

const embedded = { FREEHOLD_STORE: 'sqlite:', ...withOperator.env };

test('a platform that is well says so, with its stores and their sizes', { skip: whyNoDataDir }, async (t) => {
  const platform = await platformOf(t, { env: embedded });
  await foundedOrg(platform);
  const { state, node, nodes, nodes_listed, stores, servers, queues } = await shown<Health>(platform, '/health');
  assert.deepEqual([state, node.draining, servers], ['ok', false, []]);
  assert.deepEqual([nodes.map(({ id, this_node }) => [id, this_node]), nodes_listed], [[[node.id, true]], 'all']);
  assert.match(node.version, /^\d+\.\d+\.\d+/);
  assert.equal(node.node_version, process.versions.node);
  assert.ok(Date.parse(node.started_at) <= Date.now() && node.resident_bytes > 1_000_000);
  const [thread, ...others] = node.workers;
  assert.deepEqual([thread?.name, thread?.state, thread?.failures, others], ['main', 'serving', 0, []]);
  assert.ok((thread?.event_loop_delay?.max_ms ?? -1) >= 0 && (thread?.heap_used_bytes ?? 0) > 1_000_000);
  assert.deepEqual(
    stores.map(({ space, state, synchronous, last_failure }) => [space, state, synchronous, last_failure]),
    ['platform', 'test', 'prod'].map((space) => [space, 'ok', 'full', null]),
  );
  for (const { data_bytes, index_bytes, log_bytes, sizes_unknown } of stores) {
    assert.ok((data_bytes ?? 0) + (log_bytes ?? 0) > 0);
    assert.deepEqual([index_bytes, sizes_unknown], [null, null]);
  }
  assert.equal(queues.length, 9);
});

const gateways = await platformOfFile(withOperator);

test('work in the background is told by its kind, with its last run', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const purges = async () =>
    (await shown<Health>(gateways, '/health')).jobs.find(({ name }) => name === 'purge-entity') ?? assert.fail();
  const before = await purges();
  assert.deepEqual([before.queue, before.lease], ['work', null]);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  await create(founder, 'order', { title: 'One' });
  const removed = await manage(org, 'DELETE', '/api/entity?entityname=order');
  assert.ok(removed.status < 300, removed.text);
  const now = await eventually('a run of the purges', async () => {
    const shown = await purges();
    return shown.runs !== before.runs && shown;
  });
  assert.ok(now.last_run_at !== null && now.last_run_at > (before.last_run_at ?? ''));
  const { jobs } = await shown<Health>(gateways, '/health');
  const expiry = jobs.find(({ name }) => name === 'expiry');
  assert.ok(['this_node', 'another_node', 'none'].includes(expiry?.lease?.holder ?? ''), JSON.stringify(expiry));
  for (const queue of ['work', 'automation'])
    assert.ok(
      jobs.some((job) => job.queue === queue),
      queue,
    );
});

test('the health of the platform is for the operator alone, and shows no setting or place', async () => {
  const founded = await foundedOrg(gateways);
  await assertForOperatorAlone('/health', founded);
  const { text } = await operate(gateways, '/health');
  const { builder, code } = founded.org;
  for (const secret of [operatorKey, builder.email, code, 'postgres:', process.cwd(), tmpdir()])
    assert.ok(!text.includes(secret), `${secret}: ${text}`);
  const management = await documentedManagement(founded.org);
  await management.send('readPlatformHealth', { token: operatorKey });
  assert.ok(management.hasMet('readPlatformHealth', 200));
});
