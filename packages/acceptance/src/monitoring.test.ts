/** The alert rules and the dashboard, against the metrics of a platform that runs and, where it is installed, in Prometheus. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parse } from 'yaml';
import { call } from './call.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { act, create, defineEntity, definition, foundedOrg, memberWith } from './org.ts';
import { startPlatform, storeKind } from './platform.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const rulesPath = join(root, 'deploy/prometheus/alerts.yaml');
const dashboardPath = join(root, 'deploy/grafana/freehold.json');
const whyNoPrometheus =
  (spawnSync('promtool', ['--version']).status !== 0 || spawnSync('prometheus', ['--version']).status !== 0) &&
  'not run: no `prometheus` with `promtool` here';

const folder = mkdtempSync(join(tmpdir(), 'freehold-monitoring-'));
const platform = await startPlatform({ env: { FREEHOLD_BACKUP_DIR: join(folder, 'backups') } });
const { management } = platform;
let prometheus: ChildProcess | undefined;

after(async () => {
  await platform.kill();
  if (prometheus?.exitCode === null) {
    const ended = once(prometheus, 'exit');
    prometheus.kill('SIGKILL');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

interface Rule {
  readonly alert: string;
  readonly expr: string;
}

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

function ruleExpressions(): readonly string[] {
  const { groups } = parse(readFileSync(rulesPath, 'utf8')) as { groups: readonly { rules: readonly Rule[] }[] };
  return groups.flatMap(({ rules }) => rules.map(({ expr }) => expr));
}

function dashboardExpressions(): readonly string[] {
  const { panels } = JSON.parse(readFileSync(dashboardPath, 'utf8')) as Dashboard;
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}

/** Names of families, and of the series that a histogram has. */
async function shownNames(): Promise<ReadonlySet<string>> {
  const text = await (await fetch(`${management}/metrics`)).text();
  const names = new Set<string>();
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm))
    for (const end of type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']) names.add(`${name}${end}`);
  return names;
}

test('the rules and the dashboard name metrics that a platform shows', async () => {
  const shown = await shownNames();
  const expressions = [...ruleExpressions(), ...dashboardExpressions()];
  assert.ok(expressions.length > 30);
  for (const expression of expressions) {
    const named = expression.match(/\b(?:freehold|process|nodejs)_\w+/g) ?? [];
    // A platform on PostgreSQL makes no backups, and has no folder for them.
    const shownHere = named.filter((name) => storeKind === 'sqlite' || !name.startsWith('freehold_backup_'));
    for (const name of shownHere) assert.ok(shown.has(name), `${name} in ${expression}`);
    assert.ok(named.length > 0 || expression.startsWith('up{'), expression);
  }
});

test('`promtool` finds nothing to complain of in the metrics of a platform that has worked', {
  skip: whyNoPrometheus,
}, async () => {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  const { id } = await create(founder, 'order', { title: 'a' });
  await act(founder, 'GET', `/item/order/${id}`);
  await act(await memberWith(founder, []), 'GET', '/list/order');
  await call('GET', `${platform.app}/nowhere`);
  await call('POST', `${management}/auth/forgot`, { body: { email: org.builder.email } });
  const { text } = await call('GET', `${management}/metrics`);
  for (const series of [/_denials_total\{/, /route="none"/, /status="2xx"/, /_job_runs_total\{/])
    assert.ok(series.test(text), `${series}`);
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
  assert.deepEqual([status, stdout, stderr], [0, '', '']);
});

test('`promtool` takes the rules', { skip: whyNoPrometheus }, () => {
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', rulesPath], { encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, new RegExp(`SUCCESS: ${ruleExpressions().length} rules found`));
});

test('an alert says that a node does not hear others, once that lasts a minute', { skip: whyNoPrometheus }, () => {
  const path = join(folder, 'rules-test.yaml');
  const lost = (minute: number, alerts: string) =>
    `{ eval_time: ${minute}m, alertname: FreeholdSignalsUnheard, exp_alerts: ${alerts} }`;
  const summary =
    'a does not hear what other nodes change, and may take ended tokens for `acl.cache_seconds`: see `freehold doctor`';
  const fired = `[{ exp_labels: { instance: a, severity: warning }, exp_annotations: { summary: "${summary}" } }]`;
  writeFileSync(
    path,
    `rule_files: [${JSON.stringify(rulesPath)}]
tests:
  - interval: 1m
    input_series:
      - { series: 'freehold_signals_heard{instance="a"}', values: '1 1 0 0 1' }
      - { series: 'freehold_signals_heard{instance="b"}', values: '1 1 0 1 1' }
    alert_rule_test: [${[lost(1, '[]'), lost(2, '[]'), lost(3, fired), lost(4, '[]')].join(', ')}]
`,
  );
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', path], { encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
});

interface Answer {
  readonly status: string;
  readonly data: {
    readonly result?: readonly unknown[];
    readonly groups?: readonly {
      readonly rules: readonly { readonly name: string; readonly health: string; readonly state: string }[];
    }[];
  };
}

test('Prometheus scrapes a platform, evaluates every rule and answers every panel', {
  skip: whyNoPrometheus,
}, async () => {
  const config = join(folder, 'prometheus.yaml');
  const target = new URL(management).host;
  writeFileSync(
    config,
    `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [${JSON.stringify(rulesPath)}]
scrape_configs: [{ job_name: freehold, static_configs: [{ targets: [${JSON.stringify(target)}] }] }]
`,
  );
  const listens = `127.0.0.1:${await freePort()}`;
  const words = [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, 'tsdb')}`,
    `--web.listen-address=${listens}`,
  ];
  prometheus = spawn('prometheus', words, { stdio: 'ignore' });
  const ask = async (path: string): Promise<Answer> =>
    (await (await fetch(`http://${listens}/api/v1/${path}`)).json()) as Answer;
  const query = (expression: string) => ask(`query?query=${encodeURIComponent(expression)}`);
  await eventually('a scrape', () =>
    query('freehold_ready == 1').then(
      ({ data }) => data.result?.length === 1,
      () => false,
    ),
  );
  const rules = async () => (await ask('rules')).data.groups?.flatMap((group) => group.rules) ?? [];
  await eventually('each rule', async () => (await rules()).every(({ health }) => health === 'ok'));
  assert.equal((await rules()).length, ruleExpressions().length);
  for (const { name, state } of await rules()) assert.equal(state, 'inactive', name);
  for (const expression of dashboardExpressions())
    assert.equal((await query(expression)).status, 'success', expression);
  for (const series of [
    'process_open_fds',
    storeKind === 'sqlite' ? 'freehold_disk_free_bytes{place="data"}' : 'freehold_signals_heard == 1',
    'freehold_build_info{version!=""}',
    'freehold_queue_due{space="test",queue="work"}',
    'freehold_signing_key_age_seconds',
    'freehold_store_size_bytes{space="platform",part="data"}',
    'freehold_mails_lost_total',
    'freehold_deliveries_dead_total',
  ])
    assert.equal((await query(series)).data.result?.length, 1, series);
});
