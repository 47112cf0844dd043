/** The table of contributions in `docs/architecture.md` is that of a composed platform. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { contributions } from '../testing/served-routes.ts';
import { contributedKinds, contributedSettings } from './config-kinds.ts';
import * as features from './features.ts';

const sources = join(import.meta.dirname, '..');
const page = readFileSync(join(sources, '../../../docs/architecture.md'), 'utf8');

/** Folders that are opened as no module, and why. */
const givesNothing: Readonly<Record<string, string>> = {
  access: 'a library: it compiles policies and rules by them',
  api: 'a library: modules serve their routes by it',
  authorize: 'the app gateway and the runs of logic blocks ask it about each call',
  commands: 'the commands of operators run beside the platform or without it',
  config: 'the modules call its readers; the kinds of its items are those of other modules',
  copy: 'it works on platforms that are stopped',
  demo: 'it is a client of both gateways',
  doctor: 'it looks at a machine before a platform starts',
  engines: 'the stores are opened by it before any module',
  expressions: 'a library: it compiles expressions',
  lib: 'a library',
  schema: 'a library: it compiles definitions',
  signals: 'it is opened with the stores and closed with them',
  store: 'a library: the port and the adapters',
  tenancy: 'a library: scopes and the directory of workspaces',
  testing: 'tests of the whole',
  upgrade: 'it is over before any module is opened',
  work: 'a library: the composition opens its queues',
};

const modules = [
  ...new Set([...Object.keys(contributions), ...Object.keys(contributedKinds), ...Object.keys(contributedSettings)]),
].sort();

function rowOf(module: string): string {
  const { routes, jobs = [], personData, close } = contributions[module] ?? {};
  const gateways = (['app', 'management'] as const).filter((gateway) => (routes?.[gateway] ?? []).length > 0);
  const kinds = (contributedKinds[module] ?? []).map(({ kind }) => kind);
  const also = {
    settings: (contributedSettings[module] ?? []).length > 0,
    'personal data': personData !== undefined,
    close: close !== undefined,
  };
  const others = Object.entries(also).flatMap(([name, isGiven]) => (isGiven ? [name] : []));
  const jobNames = jobs.map(({ name }) => `\`${name}\``);
  const kindNames = kinds.map((kind) => `\`${kind}\``);
  const cells = [gateways, jobNames, kindNames, others].map((cell) => ` ${cell.join(', ')} `.replace(/^ +$/, ' '));
  return `| \`${module}\` |${cells.join('|')}|`;
}

test('the page of the architecture has the contributions of each module, in the order of the modules', () => {
  const [, table = ''] = page.split(/^\| module \| routes \|.*\n\|[-|]+\n/m);
  const [rows = ''] = table.split('\n\n');
  assert.equal(rows.trimEnd(), modules.map(rowOf).join('\n'));
});

test('each module gives something', () => {
  for (const module of modules) assert.notEqual(rowOf(module), `| \`${module}\` | | | | |`);
});

test('each folder of the server is a module with contributions, or is known to give none', () => {
  const folders = readdirSync(sources, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );
  const known = [...modules.filter((module) => !Object.keys(features).includes(module)), ...Object.keys(givesNothing)];
  assert.deepEqual(known.sort(), folders.sort());
});
