import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const files = readdirSync(join(root, 'deploy'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ name, parentPath }) => join(parentPath, name));

/** As the table of the settings names them. */
const settings = new Set(
  [...read('packages/server/src/settings.ts').matchAll(/name: '(FREEHOLD_\w+)'/g)].map(([, name]) => name),
);

function unknownSettings(text: string): readonly string[] {
  return [...text.matchAll(/\bFREEHOLD_[A-Z_]*[A-Z]\b/g)].map(([name]) => name).filter((name) => !settings.has(name));
}

test('every setting that is deployed is one', () => {
  assert.ok(settings.size > 15 && files.length > 4);
  for (const path of files) assert.deepEqual(unknownSettings(readFileSync(path, 'utf8')), [], path);
  assert.deepEqual(unknownSettings('FREEHOLD_MODE=production FREEHOLD_MOOD=good'), ['FREEHOLD_MOOD']);
});

test('every setting is described in --help or in the documents under its name', () => {
  for (const path of ['docs/operate.md', 'docs/upgrade.md']) {
    const warnings = unknownSettings(read(path)).filter((name) => !name.startsWith('FREEHOLD_TEST_'));
    assert.deepEqual(warnings, [], path);
  }
});

test('each deployment behind a proxy names the proxy and both public addresses', () => {
  for (const path of ['deploy/compose.yaml', 'deploy/kubernetes/freehold.yaml', 'deploy/README.md'])
    for (const name of ['FREEHOLD_TRUSTED_PROXIES', 'FREEHOLD_PUBLIC_URL', 'FREEHOLD_MANAGEMENT_URL'])
      assert.match(read(path), new RegExp(`\\b${name}(:|=|, value:)`), `${path} does not set ${name}`);
});

test('probes ask for routes that there are', () => {
  const shared = read('packages/contract/src/shared.ts');
  const probes = [...read('deploy/kubernetes/freehold.yaml').matchAll(/httpGet: \{ path: (\S+),/g)];
  assert.equal(probes.length, 3);
  for (const [, path = ''] of probes) assert.ok(shared.includes(`path: '${path}'`), path);
});

test('no pod is given variables that are named after its Services: those of ours would begin as settings do', () => {
  const documents = read('deploy/kubernetes/freehold.yaml').split(/^---$/m);
  const pods = documents.flatMap((document) => [...document.matchAll(/^( +)spec:\n(?:\1 .*\n)*?\1 +containers:/gm)]);
  assert.ok(pods.length > 0);
  for (const [spec, indent = ''] of pods) assert.match(spec, new RegExp(`^${indent}  enableServiceLinks: false$`, 'm'));
});

test('what the image copies is there, and is let into the build', () => {
  const letIn = read('deploy/Dockerfile.dockerignore')
    .matchAll(/^!(.+)$/gm)
    .map(([, path = '']) => path);
  const paths = [...letIn];
  for (const [, sources = ''] of read('deploy/Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm))
    for (const source of sources.split(' ')) {
      assert.ok(existsSync(join(root, source)), source);
      assert.ok(
        paths.some((path) => `${source}/`.startsWith(`${path}/`)),
        `${source} is left out`,
      );
    }
});

test('the image copies the manifest of each workspace: `npm ci` needs all that the lock file names', () => {
  const { workspaces } = JSON.parse(read('package.json')) as { readonly workspaces: readonly string[] };
  for (const path of workspaces)
    assert.ok(read('deploy/Dockerfile').includes(`\nCOPY ${path}/package.json ${path}/\n`), path);
});

const noSystemd = spawnSync('systemd-analyze', ['--version']).status !== 0 && 'not run: there is no systemd-analyze';

test('systemd has no complaint about the unit, and calls its exposure low', { skip: noSystemd }, (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'unit-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const analyze = (...words: readonly string[]) => {
    const { stdout, stderr } = spawnSync('systemd-analyze', words, { encoding: 'utf8' });
    return `${stdout}${stderr}`;
  };
  const complaints = (text: string) => {
    const path = join(folder, 'freehold.service');
    writeFileSync(path, text);
    return analyze('verify', '--man=no', path);
  };
  const unit = read('deploy/freehold.service');
  assert.equal(complaints(unit), '');
  assert.match(complaints(unit.replace('ProtectHome', 'ProtectHom')), /ProtectHom\b/);
  assert.match(complaints(unit.replace('/usr/bin/env', '/usr/bin/nowhere')), /nowhere/);
  const exposure = /exposure level for freehold.service: ([\d.]+)/.exec(
    analyze('security', '--offline=true', join(root, 'deploy', 'freehold.service')),
  );
  assert.ok(Number(exposure?.[1]) <= 2, String(exposure?.[0]));
});

test('the stage that builds the console has the settings of the compiler that the console extends', () => {
  const { extends: base = '' } = JSON.parse(read('packages/console/tsconfig.json')) as { readonly extends?: string };
  const path = join('packages/console', base);
  assert.ok(existsSync(join(root, path)));
  assert.match(read('deploy/Dockerfile'), new RegExp(`^COPY ${path} ./$`, 'm'));
});

test('J05: there are at most 16 runtime dependencies, each of one exact version', () => {
  const { workspaces } = JSON.parse(read('package.json')) as { readonly workspaces: readonly string[] };
  const dependencies = workspaces.flatMap((workspace) => {
    const parsed = JSON.parse(read(`${workspace}/package.json`)) as {
      readonly dependencies?: Readonly<Record<string, string>>;
    };
    return Object.entries(parsed.dependencies ?? {}).filter(([name]) => !name.startsWith('@freehold/'));
  });
  // Two packages of this repository may use one of the same version.
  const count = new Set(dependencies.map((dependency) => dependency.join('@'))).size;
  assert.ok(count > 3 && count <= 16, dependencies.join(' '));
  for (const [name, version] of dependencies) assert.match(version, /^\d+\.\d+\.\d+$/, name);
});
