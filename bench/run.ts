/**
 * `npm run bench -- [NAME] [OPTIONS]`: one of the benchmarks, each of which says at its top what it takes. Without a name
 * it is `requests`.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const server = 'packages/server/src';

const benchmarks: Readonly<Record<string, string>> = {
  access: `${server}/access/testing/rivals/bench.ts`,
  asking: 'bench/asking/asking.ts',
  automation: 'bench/automation/deliveries.ts',
  'automation-fairness': 'bench/automation/fairness.ts',
  bound: 'bench/bound/bound.ts',
  cluster: `${server}/store/postgres/testing/cluster-cost.ts`,
  console: 'bench/console/measure-console.ts',
  'console-size': 'packages/console/build/size.ts',
  decisions: 'bench/decisions.ts',
  exchange: 'bench/exchange.ts',
  expand: 'bench/expand.ts',
  fairness: 'bench/fairness/fairness.ts',
  fill: 'bench/fill.ts',
  filters: 'bench/filters.ts',
  gate: `${server}/metering/testing/bench/gate.ts`,
  metering: 'bench/metering.ts',
  orgs: 'bench/orgs/orgs.ts',
  outage: `${server}/store/postgres/testing/cluster-outage.ts`,
  pair: 'bench/pair/pair.ts',
  promotion: 'bench/promotion.ts',
  recovery: 'bench/recovery.ts',
  requests: 'bench/main.ts',
  scans: 'bench/scans.ts',
  store: `${server}/store/testing/bench/main.ts`,
  timing: 'bench/timing.ts',
  transfer: 'bench/transfer.ts',
};

/** Folders of packages that a benchmark needs and the install of the root leaves out. */
const apart: Readonly<Record<string, string>> = { access: `${server}/access/testing/rivals` };

const words = process.argv.slice(2);
const isNamed = words[0] !== undefined && !words[0].startsWith('-');
const name = isNamed ? (words[0] ?? '') : 'requests';
const file = Object.hasOwn(benchmarks, name) ? benchmarks[name] : undefined;

if (file === undefined) {
  console.error(`there is no benchmark \`${name}\`: they are ${Object.keys(benchmarks).join(', ')}`);
  process.exitCode = 2;
} else {
  const folder = apart[name];
  const installed = folder === undefined ? 0 : run('tools/install-apart.ts', folder);
  process.exitCode = installed === 0 ? run(file, ...(isNamed ? words.slice(1) : words)) : installed;
}

function run(program: string, ...options: readonly string[]): number {
  const root = join(import.meta.dirname, '..');
  return spawnSync(process.execPath, [join(root, program), ...options], { stdio: 'inherit' }).status ?? 1;
}
