import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { bare, commandNames, saying } from './commands.ts';
import { launcher } from './launcher.ts';
import { commandToEnd } from './platform.ts';

const root = join(import.meta.dirname, '..', '..', '..');

test('`freehold --help` names every command, and ends well', async () => {
  const { code, stdout, stderr } = await commandToEnd(['--help']);
  assert.deepEqual([code, stderr], [0, '']);
  for (const name of commandNames) assert.match(stdout, new RegExp(`^ {2}freehold ${name} `, 'm'));
});

test('a command whose reader has gone ends without a word', async () => {
  const child = spawn(process.execPath, [launcher, '--help'], { env: bare });
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
  for (const words of [['bakcup'], ['constructor'], ['--nonsense'], ['backup', '--nonsense']]) {
    const { code, stdout, stderr } = await commandToEnd(words);
    assert.deepEqual([code, stdout], [2, ''], words.join(' '));
    assert.ok(stderr.includes(words.at(-1) ?? ''), stderr);
    assert.doesNotMatch(stderr, /\bat .+:\d+:\d+/);
  }
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

test('the launcher looks for the SQLite that the store takes', () => {
  const read = (path: string) => readFileSync(join(root, 'packages', 'server', path), 'utf8');
  const [, taken = ''] = /oldestVersion = \[([\d, ]+)\]/.exec(read('src/store/sqlite/connection.ts')) ?? [];
  const [, needed = ''] = /neededSqlite = '([\d.]+)'/.exec(read('bin/needed-node.mjs')) ?? [];
  assert.match(needed, /^3\./);
  assert.equal(needed, taken.split(', ').join('.'));
});
