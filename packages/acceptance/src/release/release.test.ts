/** What `npm run release` makes: files that npm installs as they are, and that do what a clone does. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { call } from '../call.ts';
import { demoIsShown } from '../demo-platform.ts';
import { act, create, defineEntity, definition, foundedOrg, list, manage, signIn } from '../org.ts';
import { type Platform, startPlatform, temporaryDirectory } from '../platform.ts';
import { buildRelease, installed, launcherIn, npm, otherNode, root, unpacked } from './built-release.ts';
import { findingsIn, type Resolution } from './strict-consumer.ts';

const release = buildRelease();
const version: string = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
const installation = installed(release.platform);
const launcher = launcherIn(installation);

/** Where a Node that cannot run it finds another one: fetched once for all tests, from npm's cache where it is there. */
const cached = { XDG_CACHE_HOME: temporaryDirectory(), npm_config_prefer_offline: 'true' };

interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, without the settings of the tests. */
async function run(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CommandResult> {
  const [program = '', ...rest] = words;
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:FREEHOLD|NODE)_/.test(name));
  const child = spawn(program, rest, {
    cwd: installation,
    env: { ...Object.fromEntries(kept), ...cached, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}

describe('what is in the files', () => {
  const filesIn = (folder: string) =>
    globSync('**/*', { cwd: folder }).filter((path) => statSync(join(folder, path)).isFile());

  const expected: Readonly<Record<keyof typeof release, RegExp>> = {
    platform:
      /^(?:LICENSE|README\.md|THIRD-PARTY\.md|nodes\.json|package\.json|sbom\.json|deploy\/(?:freehold\.service|nginx\.conf|kubernetes\/freehold\.yaml)|packages\/(?:chunks\/[\w-]+\.js(?:\.map)?|chunks\/emscripten-module\.wasm|chunks\/(?:app|management)-examples\.json|(?:console|docs)\/dist\/site\.pack|server\/(?:package\.json|bin\/freehold\.mjs(?:\.map)?|src\/lib\/installation\.js(?:\.map)?)))$/,
    client: /^(?:LICENSE|README\.md|package\.json|(?:[a-z-]+\/)?[a-z-]+\.(?:js|d\.ts))$/,
    react: /^(?:LICENSE|README\.md|package\.json|[a-z-]+\.(?:js|d\.ts))$/,
  };

  for (const name of ['platform', 'client', 'react'] as const)
    test(`the file of ${name} has what is named here, and no path of this machine, test or text of a source`, () => {
      const folder = unpacked(release[name]);
      const paths = filesIn(folder);
      assert.ok(paths.length > 20);
      assert.deepEqual(
        paths.filter((path) => !expected[name].test(path)),
        [],
      );
      for (const path of paths.filter((one) => !one.endsWith('.wasm'))) {
        const content = readFileSync(join(folder, path), 'utf8');
        const ofTests = path.endsWith('.js') ? ['node:test'] : [];
        for (const trace of [root, `${homedir()}/`, `${tmpdir()}/`, 'sourcesContent', ...ofTests])
          assert.ok(!content.includes(trace), `${path} has ${trace}`);
      }
    });

  test('the platform needs no other package, and npm runs no script of it', () => {
    const manifest = JSON.parse(readFileSync(join(unpacked(release.platform), 'package.json'), 'utf8'));
    assert.deepEqual(Object.keys(manifest).sort(), [
      ...['bin', 'description', 'engines', 'license', 'name', 'type', 'version'],
    ]);
    const [name, ...others] = readdirSync(join(installation, 'node_modules')).filter((one) => !one.startsWith('.'));
    assert.deepEqual([name, others], ['freehold', []]);
  });

  test('the licence of each package that is in it travels along, and the bill of materials names the same', () => {
    const folder = unpacked(release.platform);
    const licences = readFileSync(join(folder, 'THIRD-PARTY.md'), 'utf8');
    const named = [...licences.matchAll(/^## (\S+) (\d\S*) \(\S+\)\n\n\S/gm)].map(([, name, at]) => `${name}@${at}`);
    for (const one of ['pg', 'pino', 'react', 'minisearch', '@mantine/core', 'commander'])
      assert.ok(
        named.some((found) => found.startsWith(`${one}@`)),
        one,
      );
    const { components, metadata } = JSON.parse(readFileSync(join(folder, 'sbom.json'), 'utf8'));
    assert.deepEqual(components.map((one: { readonly 'bom-ref': string }) => one['bom-ref']).sort(), named.toSorted());
    assert.deepEqual([metadata.component.name, metadata.component.version], ['freehold', version]);
  });

  test('a release that is built again is the same', { timeout: 600_000 }, () => {
    const again = buildRelease();
    for (const name of ['platform', 'client', 'react'] as const)
      assert.ok(readFileSync(again[name]).equals(readFileSync(release[name])), name);
  });
});

/** A platform of the release, run by this Node as an operator runs it, with its console and its documentation. */
function started(node: string, env: Readonly<Record<string, string>> = {}): Promise<Platform> {
  return startPlatform({
    byWords: [node, launcher, 'start'],
    env: { ...cached, FREEHOLD_CONSOLE: 'on', FREEHOLD_DOCS: 'on', FREEHOLD_MODE: 'production', ...env },
  });
}

async function assertSites({ app, management }: Platform): Promise<void> {
  for (const gateway of [app, management]) assert.equal((await call('GET', `${gateway}/readyz`)).status, 200);
  const page = await call('GET', `${management}/`, { headers: { accept: 'text/html' } });
  assert.equal(page.status, 200, page.text);
  const assets = [...page.text.matchAll(/(?:src|href)="((?:\.\/)?assets\/[^"]+)"/g)].map(([, path = '']) => path);
  assert.ok(assets.length > 1, page.text);
  for (const path of assets) {
    const asset = await call('GET', `${management}/${path.replace('./', '')}`);
    assert.deepEqual([asset.status, asset.text === ''], [200, false], path);
  }
  const docs = await fetch(`${management}/docs`);
  assert.equal(docs.status, 200);
  assert.match(await docs.text(), /<h1/);
}

/** An org with a record, and a script that has run. */
async function assertWork(platform: Platform): Promise<void> {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, definition('note', [{ name: 'text', colType: 'string' }]));
  const { id } = await create(founder, 'note', { text: 'kept' });
  assert.deepEqual(
    (await list(await signIn(org, founder.email), 'note')).items.map((item) => item.id),
    [id],
  );
  const steps = [{ id: 'run', type: 'script', source: 'return input.a + input.b;' }];
  const body = { name: 'sum', content: { name: 'sum', steps, returns: '{{ steps.run }}' } };
  assert.equal((await manage(org, 'POST', '/config/logicblock', { body })).status, 201);
  const reply = await act<unknown>(founder, 'POST', '/logicblocks/sum', { body: { a: 1, b: 2 } });
  assert.deepEqual([reply.status, reply.body], [200, 3], reply.text);
}

async function assertDrains(platform: Platform): Promise<void> {
  assert.deepEqual(await platform.terminate(), { code: 0, signal: null }, platform.stderr());
  assert.match(platform.stderr(), /"signal":"SIGTERM","msg":"draining"/);
}

const carried = process.execPath;
/** One that runs it, and the oldest one, which runs all but its store, and hands over. */
const others = ['24.21.0', '24.7.0'].map((wanted) => ({ wanted, found: otherNode(wanted) }));

describe('the platform of a release', () => {
  for (const { name, found } of [
    { name: process.versions.node, found: { path: carried } },
    ...others.map(({ wanted, found }) => ({ name: wanted, found })),
  ])
    test(`serves on Node ${name} its console, its documentation and apps, and its backup is restored`, {
      skip: 'why' in found && found.why,
    }, async (t) => {
      const node = 'path' in found ? found.path : carried;
      const platform = await started(node);
      t.after(() => platform.kill());
      await assertSites(platform);
      await assertWork(platform);
      const folder = temporaryDirectory();
      const file = join(folder, 'one.backup');
      const backup = await run([node, launcher, 'backup', file, '--data-dir', platform.dataDir]);
      assert.deepEqual([backup.code, backup.stderr], [0, '']);
      await assertDrains(platform);
      const restore = await run([node, launcher, 'restore', file, '--data-dir', join(folder, 'data')]);
      assert.deepEqual([restore.code, restore.stdout.trim().split('\n').at(-1)], [0, 'nothing has drifted']);
    });

  test('makes the demo of a first start in development, and prints a link to its console', async (t) => {
    const platform = await started(carried, { FREEHOLD_MODE: 'development', FREEHOLD_DEMO: 'on' });
    t.after(() => platform.kill());
    await demoIsShown(platform);
    assert.match(platform.stdout(), /^ {2}http:\/\/127\.0\.0\.1:\d+\/sign-in\/link#code=/m);
    assert.doesNotMatch(platform.stdout() + platform.stderr(), /not built/);
  });

  test('says its version and, without a word, what it can do', async () => {
    assert.deepEqual(await run([carried, launcher, '--version']), {
      ...{ code: 0, stdout: `freehold ${version}\n`, stderr: '' },
    });
    const { code, stdout } = await run([carried, launcher]);
    assert.equal(code, 2);
    assert.match(stdout, /^ {2}freehold dev [\s\S]*^ {2}freehold start /m);
  });

  test('passes the acceptance tests of its commands, backups, scripts and errors', {
    timeout: 1_200_000,
  }, async () => {
    const names = ['command', 'command-each', 'cli-config', 'cli-dev', 'backups', 'scripts'];
    const more = ['operator-doctor', 'operator-errors', 'platform-keys'];
    const files = [...names, ...more].map((name) => `packages/acceptance/src/${name}.test.ts`);
    const words = [carried, join(root, 'tools', 'run-tests.ts'), ...files.map((file) => join(root, file))];
    const { stdout } = await run(words, { FREEHOLD_TEST_LAUNCHER: launcher });
    assert.match(stdout, /^[6-9]\d passed, 0 failed$/m, stdout);
  });
});

describe('an older Node', () => {
  const older = otherNode('20.20.2');
  const skip = 'why' in older && older.why;
  const node = 'path' in older ? older.path : '';
  const cache = temporaryDirectory();

  test('hands over to a newer one that npm fetches once, and passes signals on', { skip }, async (t) => {
    const env = { XDG_CACHE_HOME: cache, npm_config_prefer_offline: 'true' };
    const first = await started(node, env);
    t.after(() => first.kill());
    assert.match(
      first.stderr(),
      /^Freehold needs Node 24\.7 or newer, and this is Node 20\.20\.2: npm fetches Node 26\.\S+ into \S+, once\n/,
    );
    await assertSites(first);
    await assertWork(first);
    await assertDrains(first);
    // Nothing is fetched, so no npm is asked.
    const second = await run([node, launcher, 'bakcup'], { XDG_CACHE_HOME: cache, PATH: '' });
    assert.equal(second.code, 2);
    assert.match(second.stderr, /^unknown command 'bakcup'/);
    assert.deepEqual(readdirSync(join(cache, 'freehold', 'node')).length, 1);
  });

  test('hands over to a newer one that was installed beside the release', { skip }, async () => {
    const name = `node-${process.platform}-${process.arch}`;
    const folder = installed(release.platform);
    npm(folder, 'install', '--prefer-offline', '--no-audit', '--no-fund', `${name}@${process.versions.node}`);
    const env = { XDG_CACHE_HOME: temporaryDirectory(), PATH: '' };
    assert.deepEqual(await run([node, launcherIn(folder), '--version'], env), {
      ...{ code: 0, stdout: `freehold ${version}\n`, stderr: '' },
    });
  });

  test('says in one sentence what to do where no other one can be fetched', { skip }, async () => {
    const server = createServer((_, response) => response.writeHead(404).end('{}')).listen(0, '127.0.0.1');
    after(() => server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const env = {
      XDG_CACHE_HOME: temporaryDirectory(),
      npm_config_registry: `http://127.0.0.1:${port}`,
      npm_config_cache: temporaryDirectory(),
    };
    const { code, stdout, stderr } = await run([node, launcher, 'start'], env);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /: npm could not fetch node-\S+@26\.\S+ \(E404\); install a newer Node\n$/);
    const none = await run([node, launcher, 'start'], { XDG_CACHE_HOME: '/proc/none' });
    assert.equal(none.code, 2);
    assert.match(
      none.stderr,
      /^Freehold needs Node 24\.7 or newer, and this is Node 20\.20\.2: install a newer Node; /,
    );
  });
});

describe('a strict program that uses the client libraries', () => {
  const libraries = ['react@19.3.1', '@types/react@19.3.0', '@tanstack/react-query@5.108.0'];
  const folderOf = (name: 'client' | 'react', parent: string) => unpacked(release[name], join(parent, name));

  /** A project that has React and installs the client libraries in its way. */
  function project(install: (folder: string) => void): string {
    const folder = temporaryDirectory();
    writeFileSync(join(folder, 'package.json'), '{ "name": "project", "private": true, "type": "module" }');
    npm(folder, 'install', '--prefer-offline', '--no-audit', '--no-fund', ...libraries);
    install(folder);
    return folder;
  }

  const install = (folder: string, ...words: readonly string[]) =>
    npm(folder, 'install', '--offline', '--no-audit', '--no-fund', ...words);
  const ways: Readonly<Record<string, (folder: string) => void>> = {
    'as files': (folder) => install(folder, release.client, release.react),
    'as folders of the project': (folder) =>
      install(folder, folderOf('client', join(folder, 'vendor')), folderOf('react', join(folder, 'vendor'))),
    'as folders elsewhere, which npm copies': (folder) => {
      const elsewhere = temporaryDirectory();
      install(folder, '--install-links', folderOf('client', elsewhere), folderOf('react', elsewhere));
    },
    'as workspaces': (folder) => {
      for (const name of ['client', 'react'] as const) folderOf(name, join(folder, 'packages'));
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, workspaces: ['packages/*'] }));
      install(folder);
    },
  };

  const resolutions: readonly Resolution[] = ['nodenext', 'bundler'];
  for (const [way, put] of Object.entries(ways))
    test(`has its types, and runs, where they are installed ${way}`, () => {
      const folder = project(put);
      for (const resolution of resolutions)
        assert.deepEqual(findingsIn(folder, resolution), { ofProgram: '', missed: [] }, resolution);
      const script = "const { useList } = await import('@freehold/react'); console.log(typeof useList);";
      const words = ['--input-type=module', '--eval', script];
      const { stdout, stderr } = spawnSync(carried, words, { cwd: folder, encoding: 'utf8' });
      assert.equal(stdout, 'function\n', stderr);
    });

  test('is found to have lost its types where npm only links a folder elsewhere', () => {
    const folder = project((to) => {
      const elsewhere = temporaryDirectory();
      install(to, folderOf('client', elsewhere), folderOf('react', elsewhere));
    });
    for (const resolution of resolutions) assert.ok(findingsIn(folder, resolution).missed.length > 0);
  });
});
