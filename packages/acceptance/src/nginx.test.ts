/** Behind a real nginx, where one is installed: what its defaults drop, and that the platform says so. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { runNginx, whyNoNginx as skip } from './nginx.ts';
import { newEmail, password, signUp } from './org.ts';
import { temporaryDirectory } from './platform.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const org = await signUp(gateways);
const folder = temporaryDirectory();
const sockets = {
  plain: join(folder, 'plain.sock'),
  reporting: join(folder, 'telling.sock'),
  open: join(folder, 'open.sock'),
};
if (skip === false) await startNginx();

test('nginx as it comes drops `client_id`, and the refusal says so and what to send', { skip }, async () => {
  for (const socket of [sockets.plain, sockets.reporting]) {
    const refused = await logInBy(socket, { client_id: org.clientId });
    assert.equal(refused.status, 401, refused.body);
    const { code, detail } = JSON.parse(refused.body);
    assert.equal(code, 'client_unknown');
    assert.match(detail, /through a proxy.*`underscores_in_headers on`.*`client-id`/);
  }
});

test('`client-id` passes nginx as it comes, and `client_id` passes one with `underscores_in_headers on`', {
  skip,
}, async () => {
  for (const [socket, headers] of [
    [sockets.plain, { 'client-id': org.clientId }],
    [sockets.reporting, { 'client-id': org.clientId, client_id: org.clientId }],
    [sockets.open, { client_id: org.clientId }],
    [sockets.open, { client_id: org.clientId, 'client-id': org.clientId }],
  ] as const) {
    const signedIn = await logInBy(socket, headers);
    assert.equal(signedIn.status, 200, signedIn.body);
  }
});

/** Three servers, by sockets in a folder, so that no port can be taken. */
async function startNginx(): Promise<void> {
  const forwarding = 'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; proxy_http_version 1.1;';
  const server = (socket: string, settings: string, ofProxy: string) => `server {
    listen unix:${socket};
    ${settings}
    location / { ${ofProxy} proxy_pass ${gateways.app}; }
  }`;
  const settings = `${server(sockets.plain, '', '')}
  ${server(sockets.reporting, '', forwarding)}
  ${server(sockets.open, 'underscores_in_headers on;', forwarding)}`;
  await runNginx(folder, settings);
}

async function logInBy(
  socketPath: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number | undefined; readonly body: string }> {
  const sent = request({
    socketPath,
    method: 'POST',
    path: `/app/${org.code}/login`,
    headers: { host: 'app.example', 'content-type': 'application/json', ...headers },
  });
  sent.end(JSON.stringify({ email: newEmail('user'), password }));
  const [reply] = await once(sent, 'response');
  return { status: reply.statusCode, body: await text(reply) };
}
