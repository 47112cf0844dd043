/** `freehold types`: the file of an app's types, and how it follows the definitions. */
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cli, folderWith, signedIn, startCli, until } from './cli-data.ts';
import { defineEntity, definition, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();

test('types are written where they differ, and a check says whether they are current', async () => {
  const org = await signUp(gateways);
  const env = signedIn(org);
  await defineEntity(
    org,
    definition('order', [{ name: 'title' }, { name: 'status', colType: 'enum', enumValues: ['open', 'paid'] }]),
  );
  const cwd = folderWith();
  assert.equal((await cli(['types', '--check'], { cwd, env })).code, 1);
  const first = await cli(['types', '--json'], { cwd, env });
  assert.deepEqual([first.code, first.json.written], [0, true], first.stdout);
  const path = join(cwd, 'freehold.d.ts');
  const text = readFileSync(path, 'utf8');
  assert.match(text, /readonly order: \{/);
  assert.match(text, /"open" \| "paid"/);
  const { mtimeMs } = statSync(path);
  assert.equal((await cli(['types', '--json'], { cwd, env })).json.written, false);
  assert.equal(statSync(path).mtimeMs, mtimeMs);
  assert.equal((await cli(['types', '--check'], { cwd, env })).code, 0);
  await defineEntity(org, definition('invoice', [{ name: 'title' }]));
  const stale = await cli(['types', '--check', '--json'], { cwd, env });
  assert.deepEqual([stale.code, stale.json.current], [1, false]);
  assert.equal(readFileSync(path, 'utf8'), text);
  const nowhere = await cli(['types', '--out', 'gone/x.d.ts'], { cwd, env });
  assert.equal(nowhere.code, 2);
  assert.equal((await cli(['types', '--check', '--watch'], { cwd, env })).code, 2);
});

test('a watch writes the file after a change of the definitions, and ends by a signal', {
  timeout: 240_000,
}, async () => {
  const org = await signUp(gateways);
  const cwd = folderWith();
  const child = startCli(['types', '--watch'], { cwd, env: signedIn(org) });
  const ended = new Promise((resolve) => child.once('close', resolve));
  await until(child.stderr, 'wrote freehold.d.ts');
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  await until(child.stderr, 'wrote freehold.d.ts');
  assert.match(readFileSync(join(cwd, 'freehold.d.ts'), 'utf8'), /readonly order: \{/);
  child.kill('SIGTERM');
  assert.equal(await ended, 0);
});
