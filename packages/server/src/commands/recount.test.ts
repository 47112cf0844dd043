import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { CallMeter } from '../metering/call-meter.ts';
import { checkDays, foldDays } from '../metering/fold-days.ts';
import { recountRecords, repairCounters } from '../records/recount-records.ts';
import { Conflict, type OpenedStore } from '../store/port.ts';
import { openStore } from '../store/testing/open-store.ts';
import {
  assertLeavesRunning,
  assertRefusesNonsense,
  runProgram,
  temporaryFolder,
  usingStore,
} from '../testing/command.ts';
import { RecordBench, SteppedClock } from '../testing/record-bench.ts';

const program = join(import.meta.dirname, 'recount.ts');
const workspaceScope = 'org#acme-main';
const orgScope = 'org#acme';

const recount = (...words: readonly string[]) => runProgram(program, words);

/** Three orders in two workspaces, and seven calls on two days, of which the first is folded. */
async function fill(opened: OpenedStore): Promise<RecordBench> {
  const clock = new SteppedClock();
  const bench = new RecordBench(opened, clock);
  const node = bench.node();
  await node.admin.define('acme', { entityName: 'order', UpdateParams: [{ name: 'title', index: true }] });
  for (const [tenantCode, titles] of [
    ['main', ['a', 'b']],
    ['second', ['c']],
  ] as const) {
    const workspace = bench.workspaceOf(tenantCode);
    await bench.found(workspace);
    for (const title of titles) await node.runtime.create(await node.call('order', { workspace }), { title });
  }
  const scope = opened.store.scope(orgScope);
  const meter = new CallMeter({ clock, orgScopes: () => ({ test: scope, prod: scope }), node: 'one' });
  const call = (times: number, tenantCode: string): void => {
    for (let made = 0; made < times; made++) meter.count({ orgCode: 'acme', env: 'test', tenantCode });
  };
  call(2, 'main');
  call(1, '');
  await meter.flush();
  clock.advance(72 * 3_600_000);
  await foldDays(scope, clock.now());
  call(4, 'second');
  await meter.flush();
  return bench;
}

async function dataFolder(context: TestContext) {
  const folder = temporaryFolder(context);
  const paths = { test: join(folder, 'test.db'), prod: join(folder, 'prod.db') };
  for (const path of [paths.prod, join(folder, 'platform.db')]) await usingStore(path, async () => undefined);
  await usingStore(paths.test, fill);
  return { folder, path: paths.test };
}

const sound = 'test: 1 orgs, 2 workspaces (and 0 not looked at), 3 records, 7 calls on 2 days\n';
const empty = 'prod: 0 orgs, 0 workspaces (and 0 not looked at), 0 records, 0 calls on 0 days\n';

test('where all is equal that is said in numbers, and nothing is changed', async (context) => {
  const { folder, path } = await dataFolder(context);
  const contents = () => usingStore(path, ({ maintenance }) => maintenance.scan(workspaceScope, undefined, 1000));
  const [before, names] = [await contents(), readdirSync(folder)];
  for (const words of [[], ['--repair']])
    assert.deepEqual(await recount('--data-dir', folder, ...words), {
      code: 0,
      stdout: `${sound}${empty}nothing differs\n`,
      stderr: '',
    });
  assert.deepEqual([await contents(), readdirSync(folder)], [before, names]);
});

/** Counters that drifted: too high, of nothing, and gone. */
async function plantCounters({ store }: OpenedStore): Promise<void> {
  await store.scope(workspaceScope).commit([
    { kind: 'add', pk: 'count', sk: 'order', by: 5 },
    { kind: 'put', pk: 'count', sk: 'ghost', value: 'x', if: 'absent' },
  ]);
  await store.scope(`${orgScope}-second`).commit([{ kind: 'remove', pk: 'count', sk: 'order', if: 'present' }]);
}

const counterDrift = `test: records of org acme, workspace main, entity ghost: the counter says x, counted 0
test: records of org acme, workspace main, entity order: the counter says 7, counted 2
test: records of org acme, workspace second, entity order: the counter says nothing, counted 1
`;

test('counters that differ from the records are reported, and corrected on request', async (context) => {
  const { folder, path } = await dataFolder(context);
  await usingStore(path, plantCounters);
  const reported = await recount('--data-dir', folder);
  const sum = 'test: records of org acme: the sum says none, counted 3\n';
  assert.equal(reported.stdout, `${counterDrift}${sum}${sound}${empty}differences: 4\n`);
  assert.deepEqual([reported.code, reported.stderr], [1, '']);
  const repaired = await recount('--data-dir', folder, '--repair');
  assert.deepEqual(
    [repaired.stdout, repaired.code],
    [`${counterDrift}${sound}${empty}set right: 3\nnothing differs\n`, 0],
  );
  assert.equal((await recount('--data-dir', folder)).code, 0);
  await usingStore(path, async ({ store }) => {
    const scope = store.scope(workspaceScope);
    assert.deepEqual(
      (await scope.range('count', { limit: 10 })).map(({ sk, value }) => [sk, value]),
      [
        ['ghost', '0'],
        ['order', '2'],
      ],
    );
    const entries = (await scope.range('audit', { limit: 10 })).map(({ value }) => value);
    assert.equal(entries.length, 1);
    for (const message of ['records.recounted', '"order":"7 to 2"', '"ghost":"x to 0"', '"operator"'])
      assert.ok(entries[0]?.includes(message), message);
  });
});

test('records of a workspace that the org does not know are missing in its sum', async (context) => {
  const { folder, path } = await dataFolder(context);
  await usingStore(path, ({ store }) =>
    store.scope(orgScope).commit([{ kind: 'remove', pk: 'workspace', sk: 'second', if: 'present' }]),
  );
  const { code, stdout } = await recount('--data-dir', folder, '--repair');
  assert.equal(stdout, `test: records of org acme: the sum says 2, counted 3\n${sound}${empty}differences: 1\n`);
  assert.equal(code, 1);
});

test('a scope that has lost its head is counted and reported, and nothing is written to it', async (context) => {
  const { folder, path } = await dataFolder(context);
  await usingStore(path, plantCounters);
  const contents = () => usingStore(path, ({ maintenance }) => maintenance.scan(workspaceScope, undefined, 1000));
  const before = await contents();
  const lose = async ({ maintenance }: OpenedStore) => {
    for (const name of [orgScope, workspaceScope]) await maintenance.load({ name, seq: 0, state: 'open' }, []);
  };
  await usingStore(path, lose);
  const { code, stdout } = await recount('--data-dir', folder, '--repair');
  assert.equal(code, 1);
  for (const name of [orgScope, workspaceScope])
    assert.ok(stdout.includes(`test: the head row of the scope ${name} is missing: restore a backup\n`), stdout);
  assert.ok(stdout.endsWith(`${sound}${empty}set right: 1\ndifferences: 5\n`), stdout);
  assert.deepEqual(await contents(), before);
});

test('days of which the workspaces come to something else, or that cannot be read, are reported and left alone', async (context) => {
  const { folder, path } = await dataFolder(context);
  const rows = await usingStore(path, async ({ store }) => {
    const scope = store.scope(orgScope);
    const [folded, live] = await scope.range('usage;calls', { limit: 10 });
    assert.ok(folded !== undefined && live !== undefined);
    const value = JSON.stringify({ calls: 9, records: 0 });
    await scope.commit([
      { kind: 'put', pk: folded.pk, sk: folded.sk, value, if: 'present' },
      { kind: 'put', pk: 'usage;workspaces', sk: `${live.sk}#main`, value: '{"calls":-1}', if: 'absent' },
    ]);
    return { folded: folded.sk, live: live.sk };
  });
  const { code, stdout } = await recount('--data-dir', folder, '--repair');
  const lines = stdout.split('\n').filter((line) => line.includes(' calls of org '));
  assert.deepEqual(lines, [
    `test: calls of org acme on ${rows.live.slice(0, 10)}: the row "${rows.live}#main" cannot be read`,
    `test: calls of org acme on ${rows.folded}: 9 calls in all, 3 in its workspaces`,
  ]);
  assert.match(stdout, /differences: 2\n$/);
  assert.equal(code, 1);
});

test('a repair gives way to a concurrent write, and then changes nothing', async () => {
  const clock = new SteppedClock();
  const opened = await openStore({ kind: 'memory', clock });
  const bench = await fill(opened);
  await plantCounters(opened);
  for await (const one of recountRecords({ opened, clock })) {
    if (one.kind !== 'workspace') continue;
    const node = bench.node();
    const workspace = bench.workspaceOf(one.tenantCode);
    await node.runtime.create(await node.call('order', { workspace }), { title: 'd' });
    const before = await bench.contents(workspace);
    const auditContext = { at: '', actor: { kind: 'operator', id: 'operator' }, request_id: '' } as const;
    await assert.rejects(repairCounters(one, { env: 'test', auditContext }), Conflict);
    assert.deepEqual(await bench.contents(workspace), before);
  }
});

test('days are compared with their workspaces a row at a time', async () => {
  const clock = new SteppedClock();
  const opened = await openStore({ kind: 'memory', clock });
  await fill(opened);
  assert.deepEqual(await checkDays(opened.store.scope(orgScope)), {
    days: ['2027-01-15', '2027-01-18'],
    calls: 7,
    problems: [],
  });
});

test('a day on which several orgs were called is one day', async (context) => {
  const { folder, path } = await dataFolder(context);
  await usingStore(path, async ({ store }) => {
    const scope = store.scope('org#beta');
    for (const sk of ['2027-01-15#one', '2027-01-15#two'])
      await scope.commit([{ kind: 'put', pk: 'usage;calls', sk, value: '{"calls":0,"records":0}', if: 'absent' }]);
  });
  const { stdout } = await recount('--data-dir', folder);
  assert.match(stdout, /^test: 2 orgs, .* 7 calls on 2 days$/m);
});

test('a folder whose platform is running is not counted', async (context) => {
  await assertLeavesRunning(recount, await dataFolder(context));
});

test('an empty folder, a missing one and a word that means nothing are refused, and nothing is made', (context) =>
  assertRefusesNonsense(recount, context));
