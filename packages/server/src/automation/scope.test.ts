/** Whose work is done is said by the scope in which it lies, and by nothing that lies there. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBench, RecordBench } from '../testing/record-bench.ts';
import type { StepRun } from './blocks/block-run.ts';
import type { Delivery } from './destinations/destinations.ts';
import { delivered, openOutboxBench, receiptsOf } from './outbox/testing/outbox-bench.ts';
import { dueRunKey, runSummaries, storedRuns } from './runs/run-rows.ts';
import { startRun } from './runs/runs.ts';
import { accounts } from './runs/testing/account-runs.ts';
import { openRunBench } from './runs/testing/run-bench.ts';
import { noMeter } from './testing/no-meter.ts';

const id = '01a00000-0000-7000-8000-000000000001';
const foreignNames = {
  ...{ org: 'other', orgCode: 'other', org_code: 'other', env: 'prod', environment: 'prod', scope: 'org#other-main' },
  ...{ tenantId: id, tenant_id: id, tenantCode: 'other', tenant_code: 'other', run_as: 'app', namespace: 'other' },
};
/** Names another org, environment and workspace in each way, also one within the other. */
const foreign = { ...foreignNames, workspace: foreignNames, place: foreignNames, metadata: { place: foreignNames } };

const write: StepRun = async (run, path) => ({
  value: await run.entity(path, { id: 'write', type: 'create', entity: 'account', values: { name: 'x', amount: 1 } }),
});
const call: StepRun = async (run, path) => ({
  value: await run.http(path, { id: 'call', method: 'POST', url: 'https://a.example/', headers: {} }),
});
const mail: StepRun = async (run, path) => ({
  value: await run.mail(path, { id: 'mail', to: 'ann@a.example', subject: 's', text: 't' }),
});

test('K14: a run works where it lies and for its own user, whatever its row, its due value and its input name', async (context) => {
  const org = await openBench(context, 'memory');
  const UpdateParams = [{ name: 'name' }, { name: 'amount', colType: 'number' }];
  await org.node().admin.define('acme', { entityName: 'account', UpdateParams });
  const records = new RecordBench(org.opened, org.clock, 'main');
  const places: unknown[] = [];
  const counted: unknown[] = [];
  const bench = await openRunBench(records, {
    blocks: { all: { write, call, mail } },
    outside: {
      http: {
        send: async ({ env, orgCode }) => {
          places.push(['http', env, orgCode]);
          return { status: 200, headers: {}, body: foreign };
        },
      },
      mail: {
        deliver: async (_mail, about) => {
          places.push(['mail', about.org]);
          return 'sent';
        },
      },
      meter: { ...noMeter, add: ({ env, orgCode }, kind) => void counted.push([env, orgCode, kind]) },
    },
  });
  const { scope, tenantCode, tenantId, orgCode } = records.workspace;
  const input = { ...foreign, user: { id: 'admin', kind: 'builder' }, timeout: 1, depth: -5 };
  const run = records.newId();
  await startRun(bench.deps(), { ...(await bench.ask('all', input)), id: run });
  const row = await storedRuns.read(scope, run);
  const due = { at: 0, queue: 'automation' } as const;
  const value = JSON.stringify({ job: 'run', ...foreign, run: 'other' });
  await scope.commit([
    { kind: 'put', ...storedRuns.key(run), value: JSON.stringify({ ...foreign, ...row?.value }), if: 'any' },
    { kind: 'put', ...dueRunKey(run), value, if: 'any', due },
  ]);
  const deps = bench.deps();
  await bench.pass({
    ...deps,
    callers: {
      as: (who, workspace, runId) => {
        const { env, orgCode: code, tenantCode: tenant, tenantId: tenantKey } = workspace;
        places.push(['caller', env, code, tenant, tenantKey, workspace.scope.name, who, runId]);
        return deps.callers.as(who, workspace, runId);
      },
    },
  });
  const user = { id: 'u1', kind: 'person' };
  assert.deepEqual(places, [
    ['caller', 'test', 'acme', tenantCode, tenantId, scope.name, user, run],
    ['http', 'test', 'acme'],
    ['mail', 'acme'],
  ]);
  assert.ok(counted.length > 0);
  for (const one of counted) assert.deepEqual((one as readonly unknown[]).slice(0, 2), ['test', orgCode]);
  assert.deepEqual(await accounts(bench), [['x', 1]]);
  const [summary] = await runSummaries.range(records.opened.store.scope('org#acme'), 'run-of', { limit: 10 });
  assert.deepEqual([summary?.value.tenant_code, summary?.value.state], [tenantCode, 'done']);
  for (const other of ['org#other', 'org#other-main', 'org#other-other', 'org#acme-other'])
    assert.deepEqual(await records.opened.maintenance.scan(other, undefined, 10), [], other);
});

test('K14: a delivery is that of the outbox in which it lies, whatever its item, its due value and its record name', async (t) => {
  const stage = await openOutboxBench(t);
  await stage.define({ event_name: 'tell' });
  const seen: Delivery[] = [];
  const counted: unknown[] = [];
  const receive = async (delivery: Delivery) => {
    seen.push(delivery);
    return delivered;
  };
  const node = stage.node(receive, {
    meter: { ...noMeter, add: ({ env, orgCode }, kind) => void counted.push([env, orgCode, kind]) },
  });
  await node.runtime.create(await node.call('order'), { title: 'a', note: JSON.stringify(foreign) });
  const { scope } = stage.bench.workspace;
  const items = (await stage.bench.contents()).filter(({ pk }) => /^(outbox;|due$)/.test(pk));
  assert.deepEqual(items.map(({ pk }) => pk).toSorted(), ['due', 'outbox;tell']);
  for (const { pk, sk, value, due } of items) {
    const changed = JSON.stringify({ ...foreign, event: 'other', ...JSON.parse(value) });
    await scope.commit([{ kind: 'put', pk, sk, value: changed, if: 'any', ...(due === undefined ? {} : { due }) }]);
  }
  await stage.drain(node);
  assert.deepEqual(await Promise.all(seen.map(async ({ orgCode, event, record }) => [orgCode, event, record.title])), [
    ['acme', 'tell', 'a'],
  ]);
  assert.deepEqual(counted, [['test', 'acme', 'deliveries']]);
  const [receipt, ...others] = [...(await receiptsOf(stage.bench)).values()];
  assert.deepEqual([receipt?.state, others], ['delivered', []]);
  assert.equal(Reflect.get(receipt ?? {}, 'tenant_code'), 'main');
  for (const other of ['org#other', 'org#other-main', 'org#other-other', 'org#acme-other'])
    assert.deepEqual(await stage.bench.opened.maintenance.scan(other, undefined, 10), [], other);
});
