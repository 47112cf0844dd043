import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { bare, commandNames, saying } from './commands.ts';
import { eventually } from './eventually.ts';
import { act, count, create, defineEntity, definition, foundedOrg, signUp } from './org.ts';
import { commandToEnd, temporaryDirectory, whyNoDataDir } from './platform.ts';
import { platformOf } from './platform-for-tests.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const older = saying('20.1.0');
/** The process that is given this runs no TypeScript; one that it hands over to does. */
const withoutTypes = '--no-strip-types';
const whyNoOther =
  !existsSync(join(root, 'node_modules', '.bin', 'node')) && 'not run: `npm ci` has brought no Node here';

test('each command says what it takes, and ends well', async () => {
  for (const name of commandNames) {
    const { code, stdout, stderr } = await commandToEnd([name, '--help']);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, name === 'start' ? /FREEHOLD_DATA_DIR/ : new RegExp(`^ {2}freehold ${name} `, 'm'));
  }
});

test('each command names a flag that it does not know, and ends with 2 before anything is done', async () => {
  for (const name of commandNames) {
    const { code, stdout, stderr } = await commandToEnd([name, '--nonsense']);
    assert.deepEqual([code, stdout], [2, ''], name);
    assert.ok(stderr.includes('--nonsense'), stderr);
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
  await eventually('twenty answers', () => answered >= 20);
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
