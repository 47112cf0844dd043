/** What an operator sees at one of several nodes that share a database. */
import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { type TestContext, test } from 'node:test';
import { creating, together } from './batches.ts';
import { eventually } from './eventually.ts';
import { operate, shown } from './operator.ts';
import { defineEntity, definition, foundedOrg, manage } from './org.ts';
import { givePlan, type ShownPlan, withOperator } from './plans.ts';
import type { Gateways, Platform } from './platform.ts';
import { platformOf } from './platform-for-tests.ts';
import { orgOn, skip, twoNodes } from './two-nodes.ts';

interface Node {
  readonly id: string;
  readonly this_node: boolean;
  readonly state: string;
  readonly host: string;
  readonly listens: { readonly app: string | null; readonly management: string | null };
  readonly version: string;
  readonly workers: { readonly all: number; readonly serving: number };
}

interface Health {
  readonly state: string;
  readonly node: { readonly id: string };
  readonly nodes: readonly Node[];
  readonly nodes_listed: string;
  readonly stores: readonly {
    readonly state: string;
    readonly data_bytes: number | null;
    readonly index_bytes: number | null;
    readonly sizes_unknown: string | null;
  }[];
  readonly jobs: readonly {
    readonly name: string;
    readonly lease: { readonly holder: string; readonly node: string | null; readonly until: string | null } | null;
  }[];
  readonly leases: readonly { readonly job: string; readonly node: string; readonly until: string }[];
}

const { env } = withOperator;
const healthAt = (node: Gateways): Promise<Health> => shown<Health>(node, '/health');
const addressOf = (url: string): string => new URL(url).host;

/** The node that answers at this address, as the health lists it. */
function listedAt({ nodes }: Health, { management }: Gateways): Node | undefined {
  return nodes.find(({ listens }) => listens.management === addressOf(management));
}

/** A node whose clock is ten minutes ahead: it has heard of no other for so long. */
function laterNode(t: TestContext, dataDir: string): Promise<Platform> {
  return platformOf(t, {
    dataDir,
    env: { ...env, FREEHOLD_TEST_CLOCK_AHEAD: String(10 * 60_000) },
    nodeFlags: ['--import', new URL('./clock-ahead.ts', import.meta.url).href],
  });
}

test('nodes on one database list each other and their stores; a node that ends leaves, and a node that is killed is silent', {
  skip,
}, async (t) => {
  const { one, other, dataDir } = await twoNodes(t, env);
  for (const [node, partner] of [
    [one, other],
    [other, one],
  ] as const) {
    const health = await healthAt(node);
    const { nodes, nodes_listed, state } = health;
    assert.deepEqual([state, nodes_listed, nodes.length], ['ok', 'all', 2], JSON.stringify(nodes));
    assert.deepEqual(
      nodes.map((listed) => [listed.this_node, listed.state, listed.listens.app]),
      [
        [true, 'serving', addressOf(node.app)],
        [false, 'serving', addressOf(partner.app)],
      ],
    );
    assert.equal(health.node.id, nodes[0]?.id);
    for (const { host, version, workers } of nodes) {
      assert.deepEqual([host, workers], [hostname(), { all: 1, serving: 1 }]);
      assert.match(version, /^\d+\.\d+\.\d+/);
    }
  }
  const { stores } = await healthAt(one);
  assert.equal(stores.length, 3);
  for (const { state, data_bytes, index_bytes, sizes_unknown } of stores) {
    assert.deepEqual([state, sizes_unknown], ['ok', null]);
    assert.ok((data_bytes ?? 0) > 0 && (index_bytes ?? 0) > 0, `${data_bytes} ${index_bytes}`);
  }
  const { code } = await one.terminate();
  assert.equal(code, 0);
  assert.deepEqual(
    (await healthAt(other)).nodes.map(({ this_node }) => this_node),
    [true],
  );
  await other.kill();
  const later = await laterNode(t, dataDir);
  const health = await healthAt(later);
  assert.deepEqual(
    health.nodes.map(({ this_node, state }) => [this_node, state]),
    [
      [true, 'serving'],
      [false, 'silent'],
    ],
  );
  assert.equal(listedAt(health, other)?.state, 'silent');
  assert.equal(health.state, 'ok', 'the state is that of the node that answers');
});

test('a lease names the node that holds it, and a plan that was given at one node holds at the other', {
  skip,
}, async (t) => {
  const { one, other } = await twoNodes(t, env);
  const { org, founder } = await foundedOrg(one);
  const order = definition('order', [{ name: 'title', index: true }]);
  await defineEntity(org, order);
  const batch = Array.from({ length: 100 }, (_, index) => creating('order', { title: `t${index}` }));
  const ids = [(await healthAt(one)).node.id, (await healthAt(other)).node.id];
  // To remove a thousand records takes many commits, so an answer comes before its end, be it not the first time.
  const seen = await eventually('a lease', async () => {
    for (let turn = 0; turn < 10; turn++) await together(founder, batch);
    assert.equal((await manage(org, 'DELETE', '/api/entity?entityname=order')).status, 204);
    const found: Health['leases'][number][] = [];
    await eventually('the end of the removal', async () => {
      found.push(...(await healthAt(other)).leases.filter(({ job }) => job === 'purge-entity'));
      return (await manage(org, 'POST', '/api/entity', { body: order })).status === 201;
    });
    return found.length > 0 && found;
  });
  for (const { node, until } of seen) {
    assert.ok(ids.includes(node), node);
    assert.ok(Date.parse(until) > performance.timeOrigin);
  }

  // What the operator does at one node, the other knows.
  await givePlan(org, { records: 7 });
  const there = orgOn(other, org);
  assert.deepEqual((await shown<ShownPlan>(there, `/orgs/${org.code}/plan`)).limits, { records: 7 });
  const details = await shown<{ readonly code: string; readonly plan: ShownPlan }>(there, `/orgs/${org.code}`);
  assert.deepEqual([details.code, details.plan.limits], [org.code, { records: 7 }]);
  const listed = await shown<{ readonly items: readonly { readonly code: string }[] }>(there, `/orgs?q=${org.code}`);
  assert.deepEqual(
    listed.items.map(({ code }) => code),
    [org.code],
  );
  // Errors are of the node that was asked.
  const refused = await operate(there, '/orgs/absent');
  assert.equal(refused.status, 404);
  assert.deepEqual((await shown<{ readonly items: readonly unknown[] }>(there, '/errors')).items, []);
});
