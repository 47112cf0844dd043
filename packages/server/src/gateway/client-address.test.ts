import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { createClientAddress, isNetwork } from './client-address.ts';

/** All that is looked at of a request. */
function request(remoteAddress: string, forwarded?: string): IncomingMessage {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
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
  ['stops at what is no address', ['10.0.0.1'], '10.0.0.1', '1.2.3.4, unknown', '10.0.0.1'],
  ['stays with the proxy that says nothing', ['10.0.0.1'], '10.0.0.1', undefined, '10.0.0.1'],
  ['knows an IPv4 address on an IPv6 socket', ['10.0.0.1'], '::ffff:10.0.0.1', '::FFFF:1.2.3.4', '1.2.3.4'],
  ['takes networks of IPv6', ['fd00::/8'], 'fd00::1', '2001:db8::7', '2001:db8::7'],
  ['ends where every address is a proxy', ['0.0.0.0/0'], '10.0.0.1', '1.2.3.4', '1.2.3.4'],
];

for (const [title, trusted, remote, forwarded, ip] of cases)
  test(`H05: ${title}`, () => {
    assert.equal(createClientAddress(trusted)(request(remote, forwarded)), ip);
  });

test('tells networks from other texts', () => {
  for (const text of ['127.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8', '0.0.0.0/0']) assert.ok(isNetwork(text), text);
  for (const text of ['', 'proxy', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '::/129', '10.0.0.0/-1', ' ::1'])
    assert.ok(!isNetwork(text), text);
});
