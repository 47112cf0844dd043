import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contains, readAddress, readNetwork } from './compared-values.ts';

function lies(address: string, network: string): boolean {
  const [one, other] = [readAddress(address), readNetwork(network)];
  assert.ok(one !== undefined && other !== undefined, `${address} ${network}`);
  return contains(other, one);
}

test('an address lies in a network that begins with the same bits', () => {
  for (const [address, network] of [
    ['10.1.2.3', '10.0.0.0/8'],
    ['10.1.2.3', '10.9.9.9/8'],
    ['10.1.2.3', '10.1.2.3'],
    ['10.1.2.3', '0.0.0.0/0'],
    ['192.168.1.127', '192.168.1.0/25'],
    ['2001:db8::1', '2001:DB8::/32'],
    ['2001:db8:0:0:0:0:0:1', '2001:db8::1'],
    ['::1', '::/0'],
    ['2001:db8:8000::', '2001:db8:8000::/33'],
    ['::ffff:10.1.2.3', '10.0.0.0/8'],
    ['10.1.2.3', '::ffff:10.0.0.0/104'],
    ['::ffff:a01:203', '10.1.2.3/32'],
    ['64:ff9b::10.1.2.3', '64:ff9b::a01:203'],
  ] as const)
    assert.ok(lies(address, network), `${address} in ${network}`);
});

test('no other address does', () => {
  for (const [address, network] of [
    ['11.1.2.3', '10.0.0.0/8'],
    ['10.1.2.4', '10.1.2.3'],
    ['192.168.1.128', '192.168.1.0/25'],
    ['2001:db9::1', '2001:db8::/32'],
    ['2001:db8::', '2001:db8:8000::/33'],
    ['::1', '0.0.0.0/0'],
    ['10.1.2.3', '::/0'],
    ['10.1.2.3', '::ffff:0:0/95'],
  ] as const)
    assert.ok(!lies(address, network), `${address} in ${network}`);
});

test('reads nothing that is not one address, or one network', () => {
  const others = [
    '',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.256',
    '01.2.3.4',
    '1.2.3.4 ',
    '0x1.2.3.4',
    '1..3.4',
    ':',
    ':::',
    '1:2',
  ];
  const more = [
    '1::2::3',
    '1:2:3:4:5:6:7:8:9',
    '12345::',
    'g::',
    '::1%eth0',
    '1:2:3:4:5:6:7::8',
    '1.2.3.4::',
    '::1.2.3',
    '::1.2.3.4:5',
  ];
  for (const text of [...others, ...more]) {
    assert.equal(readAddress(text), undefined, text);
    assert.equal(readNetwork(text), undefined, text);
  }
  for (const text of ['1.2.3.4/', '1.2.3.4/33', '1.2.3.4/08', '1.2.3.4/-1', '1.2.3.4/8/8', '::/129', '::/x', '/8'])
    assert.equal(readNetwork(text), undefined, text);
  assert.equal(readAddress('1.2.3.4/8'), undefined);
  assert.equal(readAddress(16909060), undefined);
});
