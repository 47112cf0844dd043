import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { tarFile, tarHeader } from '@freehold/contract/archive/tar';
import { readArchive, writeArchive } from './archive.ts';

const end = Buffer.alloc(1024);
const order = { kind: 'entity', name: 'order', content: { definition: { a: 'ä\n☃' } } };
const distant = { kind: 'later', name: `a${'.b'.repeat(99)}`, content: [1] };
const whole = writeArchive([order, distant]);

test('what is written is read again, and by the tar of the system, also under names that a header has no room for', () => {
  assert.deepEqual(readArchive(whole), [order, distant]);
  assert.deepEqual(execFileSync('tar', ['tf', '-'], { input: whole, encoding: 'utf8' }).trim().split('\n'), [
    'config/freehold.json',
    'config/entity/order.json',
    `config/later/${distant.name}.json`,
  ]);
});

/** An archive with these blocks ahead of its end. */
function withBlocks(...blocks: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([whole.subarray(0, -end.length), ...blocks, end]);
}

function headerOf(name: string, kind: string, size = 0): Uint8Array {
  const header = Buffer.from(tarHeader(name, size));
  header.write(kind, 156);
  header.write(' '.repeat(8), 148);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

test('an export with links, folders, names that lead elsewhere, or anything twice is refused', () => {
  const json = Buffer.from('{"format":1}\n');
  const wrong: readonly (readonly [readonly Uint8Array[], RegExp])[] = [
    [[headerOf('config/entity/a.json', '2')], /is neither a file nor a folder/],
    [[headerOf('config/entity/a.json', '1')], /is neither a file nor a folder/],
    [[headerOf('config/entity', '5')], /is no file/],
    [[headerOf('config/entity/a.json', '0', 10 * 1024 ** 3)], /incomplete/],
    [tarFile('/config/entity/a.json', json), /leads out of its folder/],
    [tarFile('config/entity/../../a.json', json), /leads out of its folder/],
    [tarFile('config\\a.json', json), /leads out of its folder/],
    [tarFile(`${'../'.repeat(40)}a.json`, json), /leads out of its folder/],
    [tarFile('other/config/entity/a.json', json), /is no name of an item/],
    [tarFile('config/entity/A.json', json), /is no name of an item/],
    [tarFile('config/entity/order.json', json), /entity\/order is in it twice/],
    [tarFile('config/freehold.json', json), /config\/freehold.json is in it twice/],
    [tarFile('config/entity/a.json', Buffer.from('{')), /is no JSON/],
  ];
  for (const [blocks, message] of wrong) assert.throws(() => readArchive(withBlocks(...blocks)), { message });
});

test('an export without its manifest, with one of another format, or without its end is refused', () => {
  const item = tarFile('config/entity/a.json', Buffer.from('{}'));
  assert.throws(() => readArchive(Buffer.concat([...item, end])), /it lacks config\/freehold.json/);
  const later = tarFile('config/freehold.json', Buffer.from('{"format":2}'));
  assert.throws(() => readArchive(Buffer.concat([...later, end])), /another format/);
  for (let bytes = 0; bytes <= whole.length - end.length; bytes += 7)
    assert.throws(() => readArchive(whole.subarray(0, bytes)), /incomplete/, `${bytes} bytes`);
});
