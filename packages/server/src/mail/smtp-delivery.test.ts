import assert from 'node:assert/strict';
import { type AddressInfo, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createSmtpDelivery } from './smtp-server.ts';

/** A server that offers no TLS and takes everything, and the verbs that it received. */
async function plainServer(context: TestContext) {
  const verbs: string[] = [];
  const server = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .on('data', (chunk) => {
        const verb = chunk.toString().slice(0, 4).trim();
        verbs.push(verb);
        socket.write(verb === 'EHLO' ? '250-here\r\n250 AUTH PLAIN\r\n' : `${verb === 'DATA' ? 354 : 250} fine\r\n`);
      });
    socket.write('220 here\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { verbs, port };
}

test('credentials go to another machine over TLS alone', async (t) => {
  const { verbs, port } = await plainServer(t);
  const credentials = { user: 'mailer', pass: 'secret' };
  // This address leads to the same server, and is not known to stay on this machine.
  const deliver = createSmtpDelivery({ host: '0.0.0.0', port, isSecure: false, credentials, from: 'a@b.example' });
  await assert.rejects(deliver({ to: 'ann@example.com', subject: 'Hello', text: 'Hello' }));
  assert.ok(verbs.includes('EHLO'));
  assert.ok(!verbs.includes('AUTH') && !verbs.includes('MAIL'), verbs.join());
});
