import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { longTarName, readTarHeader, tarBlockBytes, tarHeader, wholeTarBlocks } from './tar.ts';

const gigabyte = 1024 ** 3;

test('what is written of an entry is read back, whatever its size', () => {
  for (const size of [0, 1, 511, 512, 513, gigabyte, 8 * gigabyte - 1, 8 * gigabyte, 2 ** 45])
    assert.deepEqual(readTarHeader(tarHeader('config/entity/order.json', size)), {
      name: 'config/entity/order.json',
      size,
      kind: '0',
    });
});

test('contents take whole blocks', () => {
  assert.deepEqual([0, 1, 512, 513].map(wholeTarBlocks), [0, 512, 512, 1024]);
});

test('the tar of the system reads what is written, byte for byte', () => {
  const content = Buffer.from('{"näme": 1}\n');
  const blocks = Buffer.alloc(wholeTarBlocks(content.length));
  content.copy(blocks);
  const archive = Buffer.concat([tarHeader('a/b.json', content.length), blocks, Buffer.alloc(2 * tarBlockBytes)]);
  const options = { input: archive, encoding: 'utf8' } as const;
  assert.equal(execFileSync('tar', ['tf', '-'], options), 'a/b.json\n');
  assert.equal(execFileSync('tar', ['xOf', '-', 'a/b.json'], options), content.toString());
  assert.match(execFileSync('tar', ['tvf', '-'], options), /^-rw-------/);
});

test('a name that has no room in a header is a mistake of who asks, and is never cut', () => {
  assert.equal(readTarHeader(tarHeader('a'.repeat(99), 0))?.name.length, 99);
  assert.equal(readTarHeader(tarHeader('ä'.repeat(49), 0))?.name, 'ä'.repeat(49));
  for (const name of ['a'.repeat(100), 'ä'.repeat(50)]) assert.throws(() => tarHeader(name, 0), TypeError);
});

test('a header with one byte changed is none', () => {
  const header = tarHeader('config/entity/order.json', 1234);
  for (let place = 0; place < tarBlockBytes; place++) {
    const damaged = Buffer.from(header);
    damaged[place] = (header[place] ?? 0) ^ 1;
    // The digits of the sum stand before a zero and a blank, which some leave out.
    if (place === 154 || place === 155) continue;
    assert.equal(readTarHeader(damaged), undefined, `byte ${place}`);
  }
});

test('names in two parts are put together, and names that stand before their entry are read', () => {
  const header = Buffer.from(tarHeader('order.json', 0));
  header.write('deep/config/entity', 345);
  header.write('        ', 148);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  assert.equal(readTarHeader(header)?.name, 'deep/config/entity/order.json');
  assert.equal(longTarName('L', Buffer.from('a/long/name\0')), 'a/long/name');
  assert.equal(longTarName('x', Buffer.from('20 mtime=1700000000\n16 path=ä/b.js\n')), 'ä/b.js');
  assert.equal(longTarName('x', Buffer.from('20 mtime=1700000000\n')), undefined);
  assert.equal(longTarName('g', Buffer.from('16 path=ab/b.js\n')), undefined);
  for (const damaged of ['', 'path=a', '9999', '-5 path=a\n', '0 path=a\n', 'x path=a\n', ' '])
    assert.equal(longTarName('x', Buffer.from(damaged)), undefined, damaged);
});
