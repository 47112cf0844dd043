import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { networkKey, unreadableBehind } from '../lib/network/network-key.ts';
import { createClientAddress, isNetwork } from './client-address.ts';

/** All that is looked at of a request. */
function request(remoteAddress: string, headers: Readonly<Record<string, string>>): IncomingMessage {
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
}

function addressBy(trusted: readonly string[], remote: string, forwarded?: string): string {
  const headers: Readonly<Record<string, string>> = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return createClientAddress(trusted, 'x-forwarded-for')(request(remote, headers));
}

/** With `forwarded` as the header that proxies write. */
function addressByForwarded(forwarded: string, trusted = ['10.0.0.0/8'], remote = '10.0.0.1'): string {
  return createClientAddress(trusted, 'forwarded')(request(remote, { forwarded }));
}

const cases: readonly (readonly [
  title: string,
  trusted: string[],
  remote: string,
  forwarded: string | undefined,
  ip: string,
])[] = [
  ['believes no proxy if none is trusted', [], '10.0.0.1', '1.2.3.4', '10.0.0.1'],
  ['takes what a trusted proxy says', ['10.0.0.1'], '10.0.0.1', '1.2.3.4', '1.2.3.4'],
  ['ignores what another one says', ['10.0.0.1'], '10.0.0.2', '1.2.3.4', '10.0.0.2'],
  ['goes back through several proxies', ['10.0.0.0/8'], '10.0.0.1', '1.2.3.4, 10.9.9.9', '1.2.3.4'],
  ['does not read past the first that is not trusted', ['10.0.0.1'], '10.0.0.1', '9.9.9.9, 1.2.3.4', '1.2.3.4'],
  ['stops at what is no address', ['10.0.0.1'], '10.0.0.1', '1.2.3.4, unknown', unreadableBehind('10.0.0.1')],
  ['stays with the proxy that says nothing', ['10.0.0.1'], '10.0.0.1', undefined, '10.0.0.1'],
  ['knows an IPv4 address on an IPv6 socket', ['10.0.0.1'], '::ffff:10.0.0.1', '::FFFF:1.2.3.4', '1.2.3.4'],
  ['takes networks of IPv6', ['fd00::/8'], 'fd00::1', '2001:db8::7', '2001:db8::7'],
  ['ends where every address is a proxy', ['0.0.0.0/0'], '10.0.0.1', '1.2.3.4', '1.2.3.4'],
];

for (const [title, trusted, remote, forwarded, ip] of cases)
  test(`H05: ${title}`, () => {
    assert.equal(addressBy(trusted, remote, forwarded), ip);
  });

const readable: readonly (readonly [entry: string, ip: string])[] = [
  ['203.0.113.7:51008', '203.0.113.7'],
  ['203.0.113.7:_obfuscated', '203.0.113.7'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['2001:DB8:0:0::1', '2001:db8::1'],
  ['"203.0.113.7"', '203.0.113.7'],
  ['"203.0.113.7:80"', '203.0.113.7'],
  ['"[2001:db8::1]:443"', '2001:db8::1'],
  ['"203.0.113.\\7"', '203.0.113.7'],
  ['  203.0.113.7\t', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::ffff:cb00:7107', '203.0.113.7'],
  ['[0:0:0:0:0:ffff:203.0.113.7]:80', '203.0.113.7'],
];

const unreadable: readonly string[] = [
  ...['', ' ', '""', 'unknown', '_hidden', '"_hidden"', 'client.example', 'localhost', '127.1', '2130706433'],
  ...[
    '0x7f.0.0.1',
    '0177.0.0.1',
    '203.0.113.256',
    '203.0.113.7/8',
    '203.0.113.7:',
    '203.0.113.7:port',
    '203.0.113.7:123456',
  ],
  ...[
    '203.0.113.7 127.0.0.1',
    '203.0.113.7;127.0.0.1',
    '[203.0.113.7]:80',
    '2001:db8::g',
    '[2001:db8::1',
    '2001:db8::1]',
  ],
  ...[
    '[::1]443',
    'fe80::1%eth0',
    '[fe80::1%25eth0]:443',
    '"203.0.113.7',
    '203.0.113.7"',
    '"203.0.113.7\\"',
    '"127.0.0.1" x',
  ],
  ...['for=203.0.113.7', `${'1'.repeat(20_000)}`, `"${'\\1'.repeat(10_000)}"`],
];

test('reads past a port and quotes, and writes an address in one way', () => {
  for (const [entry, ip] of readable) {
    assert.equal(addressBy(['10.0.0.1'], '10.0.0.1', entry), ip, entry);
    assert.equal(addressBy(['10.0.0.1'], '10.0.0.1', `127.0.0.1, ${entry}`), ip, entry);
    assert.equal(addressByForwarded(`for="${entry.trim().replace(/^"|"$/g, '')}"`), ip, entry);
  }
});

test('what cannot be read is no address, neither that of the proxy nor one further left', () => {
  for (const entry of unreadable) {
    assert.equal(addressBy(['10.0.0.1'], '10.0.0.1', entry), unreadableBehind('10.0.0.1'), entry.slice(0, 99));
    assert.equal(
      addressBy(['10.0.0.1'], '10.0.0.1', `127.0.0.1,${entry}`),
      unreadableBehind('10.0.0.1'),
      entry.slice(0, 99),
    );
  }
});

test('an unreadable entry counts for the proxy that wrote it', () => {
  assert.equal(addressBy(['10.0.0.0/8'], '10.0.0.1', 'unknown, 10.0.0.2:80'), unreadableBehind('10.0.0.2'));
  assert.equal(addressBy(['fd00::/8'], 'fd00::1', 'unknown, [fd00:0::2]:80'), unreadableBehind('fd00::2'));
});

test('nothing that a client writes on the left changes how the entry of the proxy is read', () => {
  for (const claim of [
    '127.0.0.1',
    '"',
    '"127.0.0.1, "',
    '\\',
    '"\\',
    'for=127.0.0.1;x="',
    ',,,',
    '"a" "b"',
    `${'"\\'.repeat(5000)}`,
  ]) {
    assert.equal(addressBy(['10.0.0.1'], '10.0.0.1', `${claim}, 203.0.113.7`), '203.0.113.7', claim.slice(0, 99));
    assert.equal(
      addressBy(['10.0.0.1'], '10.0.0.1', `${claim}, "[2001:db8::1]:443"`),
      '2001:db8::1',
      claim.slice(0, 99),
    );
    assert.equal(addressByForwarded(`${claim}, for=203.0.113.7`), '203.0.113.7', claim.slice(0, 99));
    assert.equal(
      addressByForwarded(`${claim}, for="[2001:db8::1]:4711";proto=https`),
      '2001:db8::1',
      claim.slice(0, 99),
    );
  }
});

test('an endless row of trusted proxies names no client', () => {
  const claimed = Array.from({ length: 2000 }, () => '10.1.1.1').join(',');
  assert.equal(addressBy(['10.0.0.0/8'], '10.0.0.1', claimed), unreadableBehind('10.1.1.1'));
  const short = Array.from({ length: 40 }, () => '10.1.1.1').join(',');
  assert.equal(addressBy(['10.0.0.0/8'], '10.0.0.1', short), '10.1.1.1');
});

test('reads `Forwarded` as RFC 7239 has it', () => {
  for (const [header, ip] of [
    ['for=192.0.2.43', '192.0.2.43'],
    ['For="[2001:db8:cafe::17]:4711"', '2001:db8:cafe::17'],
    ['for=192.0.2.60;proto=http;by=203.0.113.43', '192.0.2.60'],
    ['by=203.0.113.43; FOR=192.0.2.60 ;host="a;for=127.0.0.1,b"', '192.0.2.60'],
    ['for=127.0.0.1, for=198.51.100.17', '198.51.100.17'],
    ['for=198.51.100.17, for="10.0.0.7:80";proto=https', '198.51.100.17'],
    ['for=192.0.2.43;;proto=http;', '192.0.2.43'],
    ['host="a\\"b";for=192.0.2.43', '192.0.2.43'],
  ] as const)
    assert.equal(addressByForwarded(header), ip, header);
  for (const header of [
    ...['for=unknown', 'for=_hidden', 'for="_SEVKISEK"', 'proto=https', 'host=a;by=203.0.113.43', 'for', 'for=', '='],
    ...[
      'for=192.0.2.43;for=127.0.0.1',
      'for=192.0.2.43 127.0.0.1',
      'for=192.0.2.43 for=127.0.0.1',
      'for="192.0.2.43"x',
    ],
    ...['192.0.2.43', 'for = 192.0.2.43', 'xfor=192.0.2.43', 'for=192.0.2.43;proto="https', 'for=192.0.2.43;@=1', ''],
  ])
    assert.equal(addressByForwarded(header), unreadableBehind('10.0.0.1'), header);
});

test('reads one of the two headers and never the other', () => {
  const both = request('10.0.0.1', { 'x-forwarded-for': '192.0.2.1', forwarded: 'for=192.0.2.2' });
  assert.equal(createClientAddress(['10.0.0.1'], 'x-forwarded-for')(both), '192.0.2.1');
  assert.equal(createClientAddress(['10.0.0.1'], 'forwarded')(both), '192.0.2.2');
  const other = request('10.0.0.1', { forwarded: 'for=127.0.0.1' });
  assert.equal(createClientAddress(['10.0.0.1'], 'x-forwarded-for')(other), '10.0.0.1');
  const one = request('10.0.0.1', { 'x-forwarded-for': '127.0.0.1' });
  assert.equal(createClientAddress(['10.0.0.1'], 'forwarded')(one), '10.0.0.1');
});

test('a connection has its address without the zone, by which it is known as a proxy too', () => {
  assert.equal(addressBy([], 'fe80::1%eth0'), 'fe80::1');
  assert.equal(addressBy(['fe80::1'], 'fe80::1%eth0', '192.0.2.1'), '192.0.2.1');
  assert.equal(addressBy(['10.0.0.0/8'], '::ffff:10.0.0.1', '192.0.2.1'), '192.0.2.1');
});

const octet = fc.nat(255);
const anyAddress = fc.oneof(
  fc.tuple(octet, octet, octet, octet).map((octets) => octets.join('.')),
  fc
    .array(fc.nat(0xffff), { minLength: 8, maxLength: 8 })
    .map((groups) => groups.map((group) => group.toString(16)).join(':')),
);

/** Each way in which proxies write an address. */
const written = fc.tuple(anyAddress, fc.option(fc.nat(65_535)), fc.boolean()).map(([address, port, isQuoted]) => {
  const isSix = address.includes(':');
  const node = isSix && (port !== null || isQuoted) ? `[${address}]` : address;
  const text = port === null ? node : `${node}:${port}`;
  return { address, text, quoted: `"${text}"`, entry: isQuoted ? `"${text}"` : text };
});

test('a client’s own claims never become its address, whatever they are', () => {
  const junk = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'",;\\=[]:._ for1a'), maxLength: 40 }),
    written.map(({ entry }) => entry),
    fc.string({ maxLength: 20 }),
  );
  fc.assert(
    fc.property(junk, written, (text, { address, entry, quoted }) => {
      const plain = addressBy(['192.0.2.1'], '192.0.2.1', entry);
      fc.pre(plain !== '192.0.2.1');
      assert.notEqual(plain, unreadableBehind('192.0.2.1'), address);
      assert.equal(addressBy(['192.0.2.1'], '192.0.2.1', `${text},${entry}`), plain);
      assert.equal(addressByForwarded(`for=${quoted}`, ['192.0.2.1'], '192.0.2.1'), plain);
      assert.equal(addressByForwarded(`${text}, proto=https;for=${quoted}`, ['192.0.2.1'], '192.0.2.1'), plain);
    }),
    { numRuns: 500 },
  );
});

test('every header gives an address, or none: nothing else, and nothing throws', () => {
  const readers = (['x-forwarded-for', 'forwarded'] as const).map((header) => {
    const read = createClientAddress(['10.0.0.0/8'], header);
    return (text: string) => read(request('10.0.0.1', { [header]: text }));
  });
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'",;\\=[]:._%/ for0123456789afx'), maxLength: 60 }),
    fc.string({ unit: 'binary', maxLength: 30 }),
  );
  fc.assert(
    fc.property(text, (header) => {
      for (const read of readers) {
        const ip = read(header);
        assert.ok(isIP(ip) !== 0 || ip.startsWith(unreadableBehind('')), ip);
      }
    }),
    { numRuns: 1000 },
  );
});

test('an unreadable entry shares a bucket with others of its proxy, and with nothing else', () => {
  const [one, other] = [unreadableBehind('10.0.0.1'), unreadableBehind('10.0.0.2')];
  const buckets = [one, other, '10.0.0.1', '10.0.0.2', ''].map(networkKey);
  assert.equal(new Set(buckets).size, buckets.length);
});

test('tells networks from other texts', () => {
  for (const text of ['127.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8', '0.0.0.0/0']) assert.ok(isNetwork(text), text);
  for (const text of ['', 'proxy', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '::/129', '10.0.0.0/-1', ' ::1'])
    assert.ok(!isNetwork(text), text);
});
