import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { act, count, create, defineEntity, definition, foundedOrg, signUp } from './org.ts';
import { commandToEnd, temporaryDirectory, whyNoDataDir } from './platform.ts';
import { platformOf } from './platform-for-tests.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const names = ['start', 'backup', 'restore', 'copy', 'doctor', 'verify', 'recount', 'keys'];
const bare = { FREEHOLD_STORE: 'sqlite:' };

/** Node as it is, but for the version that it says it has. */
const saying = (version: string) => [
  '--import',
  `data:text/javascript,Object.defineProperty(process.versions,"node",{value:"${version}"})`,
];
const older = saying('20.1.0');
/** The process that is given this runs no TypeScript; one that it hands over to does. */
const withoutTypes = '--no-strip-types';
const whyNoOther =
  !existsSync(join(root, 'node_modules', '.bin', 'node')) && 'not run: `npm ci` has brought no Node here';

test('`freehold --help` names every command, and each says what it takes and ends well', async () => {
  const { code, stdout, stderr } = await commandToEnd(['--help']);
  assert.deepEqual([code, stderr], [0, '']);
  for (const name of names) {
    assert.match(stdout, new RegExp(`^ {2}freehold ${name} `, 'm'));
    const one = await commandToEnd([name, '--help']);
    assert.deepEqual([one.code, one.stderr], [0, '']);
    assert.match(one.stdout, name === 'start' ? /FREEHOLD_DATA_DIR/ : new RegExp(`^ {2}freehold ${name} `, 'm'));
  }
});

test('a command whose reader has gone ends without a word', async () => {
  const child = spawn(process.execPath, [join(root, 'packages/server/bin/freehold.mjs'), '--help'], { env: bare });
  child.stdout.destroy();
  const stderr = text(child.stderr);
  const [code] = await once(child, 'exit');
  assert.deepEqual([await stderr, code], ['', 141]);
});

test('a command that reaches no platform names the address that it asked', async () => {
  const env = { FREEHOLD_OPERATOR_KEY: 'k', FREEHOLD_MANAGEMENT_PORT: '9' };
  const { code, stderr } = await commandToEnd(['plan', 'show', 'demo'], { env });
  assert.equal(code, 2);
  assert.match(stderr, /^no platform can be reached at http:\/\/127\.0\.0\.1:9 \(.+\): start it, or name/);
  const named = await commandToEnd(['keys', 'list', '--url', 'http://127.0.0.1:7'], { env });
  assert.match(named.stderr, /at http:\/\/127\.0\.0\.1:7 /);
});

test('`freehold` without a word shows the same and ends with 2; `--version` says which it is', async () => {
  const none = await commandToEnd([]);
  assert.deepEqual([none.code, none.stdout], [2, (await commandToEnd(['--help'])).stdout]);
  const { version } = JSON.parse(readFileSync(join(root, 'packages', 'server', 'package.json'), 'utf8'));
  assert.equal((await commandToEnd(['--version'])).stdout, `freehold ${version}\n`);
});

test('an unknown command and an unknown flag are named, and end with 2 before anything is done', async () => {
  for (const words of [['bakcup'], ['constructor'], ['--nonsense'], ...names.map((name) => [name, '--nonsense'])]) {
    const { code, stdout, stderr } = await commandToEnd(words);
    assert.deepEqual([code, stdout], [2, ''], words.join(' '));
    assert.ok(stderr.includes(words.at(-1) ?? ''), stderr);
    assert.doesNotMatch(stderr, /\bat .+:\d+:\d+/);
  }
});

test('a backup taken beside writers is verified when it is restored, and holds every write answered before', {
  skip: whyNoDataDir,
}, async (t) => {
  const platform = await platformOf(t, { byCommand: true });
  const { org, founder } = await foundedOrg(platform);
  const fields = [
    { name: 'nr', colType: 'autoincrement' },
    { name: 'code', index: true },
  ];
  const UniqueIndexes = [{ indexName: 'by_code', fields: ['code'] }];
  await defineEntity(org, { ...definition('order', fields), UniqueIndexes });
  let answered = 0;
  let isOver = false;
  const write = async (writer: number) => {
    for (let turn = 0; !isOver; turn++) {
      const { id } = await create(founder, 'order', { code: `${writer};${turn}` });
      if (turn % 3 === 0) await act(founder, 'DELETE', `/delete/order/${id}`);
      else answered++;
    }
  };
  const writers = Promise.all([0, 1, 2, 3].map(write));
  while (answered < 20) await new Promise((resolve) => setImmediate(resolve));
  const before = answered;
  const file = join(temporaryDirectory(), 'a.backup');
  const made = await commandToEnd(['backup', file], { dataDir: platform.dataDir, env: bare });
  isOver = true;
  await writers;
  assert.deepEqual([made.code, made.stderr], [0, '']);
  assert.ok(answered > before, 'nothing was written meanwhile');
  await platform.terminate();
  const dataDir = join(temporaryDirectory(), 'restored');
  const restored = await commandToEnd(['restore', file, '--data-dir', dataDir]);
  assert.deepEqual([restored.code, restored.stderr], [0, ''], restored.stdout);
  assert.match(restored.stdout, /nothing has drifted\n$/);
  const again = await platformOf(t, { dataDir, byCommand: true });
  const found = await count({ ...founder, org: { ...org, ...again } }, 'order');
  assert.ok(
    before <= found && found <= answered + 4,
    `${before} before, ${found} in the backup, ${answered} at the end`,
  );
});

test('an older Node hands over to the one that was installed, with its words, its signals and its end', {
  skip: whyNoOther,
}, async (t) => {
  for (const nodeFlags of [older, saying('24.6.0')]) {
    const words = ['verify', '--data-dir', join(temporaryDirectory(), 'nowhere')];
    const refused = await commandToEnd(words, { nodeFlags: [...nodeFlags, withoutTypes], env: bare });
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /there is no data of a platform in/);
  }
  const platform = await platformOf(t, { nodeFlags: older, byCommand: true });
  await signUp(platform);
  assert.deepEqual(await platform.terminate(), { code: 0, signal: null });
});

test('a Node is too old below what `engines` asks for, and no other', () => {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly engines: { readonly node: string };
  };
  for (const [version, isEnough] of [
    ['20.19.5', false],
    ['24.6.9', false],
    ['24.7.0', true],
    ['24.10.0', true],
    ['26.0.0', true],
  ] as const) {
    const program = join(root, 'tools', 'check-runtime.mjs');
    const { status, stderr } = spawnSync(process.execPath, [...saying(version), program], { encoding: 'utf8' });
    assert.equal(status, isEnough ? 0 : 1, version);
    if (!isEnough)
      assert.ok(stderr.startsWith(`Freehold needs Node ${engines.node.slice(2)} or newer; this is`), stderr);
  }
});
