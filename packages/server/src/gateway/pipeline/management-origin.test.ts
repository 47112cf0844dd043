import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createManagementOrigin } from './cors.ts';

test('without a set address it is where this process listens, under each name of this machine', () => {
  const management = createManagementOrigin(undefined);
  assert.equal(management.is('http://localhost:4001'), false);
  management.listening('http://192.0.2.7:4001');
  for (const name of ['192.0.2.7', 'localhost', '127.0.0.1', '[::1]'])
    assert.equal(management.is(`http://${name}:4001`), true, name);
});

test('another port, scheme or name is no page of the management gateway', () => {
  const management = createManagementOrigin(undefined);
  management.listening('http://127.0.0.1:4001');
  const strangers = [
    'http://localhost:4000',
    'http://localhost',
    'https://localhost:4001',
    'http://localhost:4001/',
    'http://localhost:4001.evil.example',
    'http://evil.example:4001',
    'http://localhost.evil.example:4001',
    'HTTP://localhost:4001',
    'null',
    '',
  ];
  for (const origin of strangers) assert.equal(management.is(origin), false, origin);
});

test('an address that is set is the only one', () => {
  const management = createManagementOrigin('https://console.example.com:8443/base/');
  management.listening('http://127.0.0.1:4001');
  assert.equal(management.is('https://console.example.com:8443'), true);
  for (const origin of ['http://localhost:4001', 'http://127.0.0.1:4001', 'https://console.example.com'])
    assert.equal(management.is(origin), false, origin);
});
