import assert from 'node:assert/strict';
import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { prepareDataFolder } from './sqlite-engine.ts';

const directory = mkdtempSync(join(tmpdir(), 'freehold-data-folder-'));

test('a folder that is not there is made for its owner alone, and an existing one is used', async () => {
  const folder = join(directory, 'deep', 'data');
  await prepareDataFolder(folder);
  await prepareDataFolder(folder);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
});

test('a file in the place of the folder, or on the way to it, is named in a sentence', async () => {
  const file = join(directory, 'file');
  writeFileSync(file, '');
  await assert.rejects(prepareDataFolder(file), {
    message: `the data folder \`${file}\` is a file: set FREEHOLD_DATA_DIR to a folder that the platform may write to`,
  });
  await assert.rejects(prepareDataFolder(join(file, 'x')), { message: /because a part of its path is a file: set/ });
});

test('a folder that may not be made is named with the user', { skip: process.platform !== 'linux' }, async () => {
  await assert.rejects(prepareDataFolder('/sys/kernel/freehold'), {
    message: /^user \d+ may not write to the data folder `\/sys\/kernel\/freehold`: set FREEHOLD_DATA_DIR/,
  });
});
