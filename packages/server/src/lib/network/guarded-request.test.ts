import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isLoopbackAddress, isPublicAddress } from './guarded-request.ts';

const notPublic: readonly string[] = [
  ...['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.100.100.200', '100.127.255.255'],
  ...['127.0.0.1', '127.255.255.255', '169.254.0.0', '169.254.169.254', '169.254.255.255', '168.63.129.16'],
  ...['172.16.0.0', '172.31.255.255', '192.0.0.0', '192.0.0.192', '192.0.2.1', '192.88.99.1', '192.168.0.0'],
  ...['192.168.255.255', '198.18.0.0', '198.19.255.255', '198.51.100.7', '203.0.113.7', '224.0.0.1'],
  ...['239.255.255.255', '240.0.0.1', '255.255.255.255'],
  ...['::', '::1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::ffff:0:127.0.0.1'],
  ...['64:ff9b::127.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b::10.0.0.1', '64:ff9b::168.63.129.16', '64:ff9b:1::1'],
  ...['100::1', '2001::1', '2001:0:7f00:1::', '2001:10::1', '2001:20::1', '2001:db8::1', '2001:1ff:ffff::1'],
  ...['2002::1', '2002:7f00:1::', '2002:808:808::', '3fff::1', '3fff:fff:ffff::1', '4000::1', '5f00::1', 'fc00::1'],
  ...['fd00:ec2::254', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '1fff:ffff::1', '8000::1'],
  ...['', 'localhost', '127.1', '0x7f000001', '2130706433', '8.8.8', '8.8.8.8/32', '08.8.8.8', '[::1]', ' 8.8.8.8'],
];

const isPublic: readonly string[] = [
  ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
  ...['128.0.0.0', '168.63.129.15', '168.63.129.17', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0'],
  ...['192.0.1.0', '192.0.3.0', '192.88.98.255', '192.88.100.0', '192.167.255.255', '192.169.0.0', '198.17.255.255'],
  ...['198.20.0.0', '198.51.99.255', '198.51.101.0', '203.0.112.255', '203.0.114.0', '223.255.255.255'],
  ...[
    '2000::1',
    '2001:200::1',
    '2001:4860:4860::8888',
    '2001:db7:ffff::1',
    '2001:db9::1',
    '2003::1',
    '2606:4700::1111',
  ],
  ...['3ffe:ffff::1', '3fff:1000::1', '64:ff9b::8.8.8.8', '64:ff9b::808:808'],
];

test('F04 tells the addresses of the public Internet from all others, at the borders of every block', () => {
  for (const address of notPublic) assert.equal(isPublicAddress(address), false, address);
  for (const address of isPublic) assert.equal(isPublicAddress(address), true, address);
});

test('knows loopback addresses, and takes no other private one for one', () => {
  for (const address of ['127.0.0.1', '127.0.0.0', '127.255.255.255', '::1'])
    assert.equal(isLoopbackAddress(address), true, address);
  for (const address of ['126.255.255.255', '128.0.0.0', '0.0.0.0', '::', '::2', '10.0.0.1', '64:ff9b::127.0.0.1', ''])
    assert.equal(isLoopbackAddress(address), false, address);
});

const octets = fc.array(fc.nat(255), { minLength: 4, maxLength: 4 });
const hextets = fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 });

test('an IPv4 address is never public in a form of IPv6, but in that of NAT64, where it is what it is', () => {
  fc.assert(
    fc.property(octets, ([a = 0, b = 0, c = 0, d = 0]) => {
      const address = `${a}.${b}.${c}.${d}`;
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      assert.equal(isPublicAddress(`64:ff9b::${address}`), isPublicAddress(address));
      assert.equal(isPublicAddress(`64:ff9b::${hex}`), isPublicAddress(address));
      for (const wrapped of [`::ffff:${address}`, `::ffff:${hex}`, `::${address}`, `2002:${hex}::`, `2001:0:${hex}::`])
        assert.equal(isPublicAddress(wrapped), false, wrapped);
    }),
  );
});

test('no address outside of 2000::/3 and NAT64 is public', () => {
  fc.assert(
    fc.property(hextets, (groups) => {
      const [first = 0, second = 0] = groups;
      const address = groups.map((group) => group.toString(16)).join(':');
      const isAllocated = first >> 13 === 1 || (first === 0x64 && second === 0xff9b);
      assert.ok(isAllocated || !isPublicAddress(address), address);
    }),
  );
});

test('whatever the text, it is judged and never fails', () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.ipV6(), fc.ipV4Extended()), (text) => void isPublicAddress(text)));
});
