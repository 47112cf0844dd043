import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLoopbackHost, readSmtpServer } from './smtp-server.ts';

test('a mail server is read with its port, its way of TLS and its credentials', () => {
  const credentials = { user: 'me@acme.example', pass: 'p@ss:/word' };
  assert.deepEqual(readSmtpServer('smtps://me%40acme.example:p%40ss%3A%2Fword@mail.example'), {
    host: 'mail.example',
    port: 465,
    isSecure: true,
    credentials,
  });
  const open = { isSecure: false, credentials: undefined };
  assert.deepEqual(readSmtpServer('smtp://mail.example'), { host: 'mail.example', port: 587, ...open });
  assert.deepEqual(readSmtpServer('smtp://127.0.0.1:2525/'), { host: '127.0.0.1', port: 2525, ...open });
  assert.deepEqual(readSmtpServer('smtp://[::1]:25'), { host: '::1', port: 25, ...open });
});

test('what is no plain address of a mail server is none', () => {
  const wrong = [
    '',
    'mail.example',
    'http://mail.example',
    'smtp://',
    'smtp://user@mail.example',
    'smtp://:pass@mail.example',
  ];
  const more = ['smtp://mail.example/x', 'smtp://mail.example?a=b', 'smtp://mail.example#a', 'smtp://a:%@mail.example'];
  for (const text of [...wrong, ...more, 'smtp://mail.example:70000'])
    assert.equal(readSmtpServer(text), undefined, text);
});

test('this machine is known by its names', () => {
  for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '::1']) assert.ok(isLoopbackHost(host), host);
  for (const host of ['127.0.0.1.example', 'localhost.example', '10.0.0.1', '0.0.0.0', '::'])
    assert.ok(!isLoopbackHost(host), host);
});
