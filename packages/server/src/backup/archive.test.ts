import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { appendEntry, endArchive, entriesOf, fillEntry, pour } from './archive.ts';

const room = 4096;

async function archiveOf(context: TestContext, contents: readonly Buffer[]) {
  const folder = mkdtempSync(join(tmpdir(), 'freehold-archive-'));
  const path = join(folder, 'archive.tar');
  const archive = await open(path, 'wx+');
  context.after(async () => {
    await archive.close();
    rmSync(folder, { recursive: true });
  });
  let end = room;
  for (const [index, bytes] of contents.entries()) {
    const part = join(folder, `part-${index}`);
    writeFileSync(part, bytes);
    const content = await open(part, 'r');
    end = (await appendEntry(archive, end, { name: `part-${index}`, content })).end;
    await content.close();
  }
  await endArchive(archive, end);
  await fillEntry(archive, { name: 'manifest.json', text: '{}', room });
  return { folder, path, archive };
}

async function bytesOf(archive: FileHandle, start: number, size: number): Promise<Buffer> {
  const { buffer } = await archive.read(Buffer.alloc(size), 0, size, start);
  return buffer;
}

const contents = [0, 1, 511, 512, 513, 1024 * 1024 + 7].map((size) => Buffer.alloc(size, `${size}.`));

test('what was put in comes out, of every length', async (context) => {
  const { archive } = await archiveOf(context, contents);
  const [manifest, ...entries] = await entriesOf(archive);
  assert.equal(manifest?.name, 'manifest.json');
  assert.equal(entries.length, contents.length);
  for (const [index, { name, start, size }] of entries.entries()) {
    assert.equal(name, `part-${index}`);
    assert.deepEqual(await bytesOf(archive, start, size), contents[index]);
  }
});

test('any tar lists and unpacks it', { skip: process.platform === 'win32' }, async (context) => {
  const { path } = await archiveOf(context, contents);
  const tar = (...words: readonly string[]) => execFileSync('tar', [...words], { maxBuffer: 1 << 24 });
  const names = tar('-tvf', path).toString().trim().split('\n');
  assert.equal(names.length, contents.length + 1);
  assert.ok(names.every((line) => line.startsWith('-rw-------')));
  assert.deepEqual(tar('-xOf', path, 'part-5'), contents[5]);
});

test('a file that ends too early, or in whose headers a bit has turned, is refused', async (context) => {
  const { path, archive } = await archiveOf(context, contents);
  await archive.write(Buffer.from([0xff]), 0, 1, room + 3);
  await assert.rejects(entriesOf(archive), /damaged, or not a backup/);
  await archive.write(Buffer.from('t'), 0, 1, room + 3);
  assert.equal((await entriesOf(archive)).length, contents.length + 1);
  await archive.truncate(room + 512 * 5);
  await assert.rejects(entriesOf(archive), /truncated/);
  const target = await open(`${path}.target`, 'w');
  await assert.rejects(pour(archive, target, { from: room, size: 1 << 20, to: 0 }), /truncated/);
  await target.close();
});
