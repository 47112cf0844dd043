/** What would take all memory of a platform that has little. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { call } from './call.ts';
import { act, allow, appUrl, create, defineEntity, definition, exchangeToken, foundedOrg, signIn } from './org.ts';
import { platformOf } from './platform-for-tests.ts';

test('I08: a person with many policies and many tokens does not end the platform', async (context) => {
  const platform = await platformOf(context, { nodeFlags: ['--max-old-space-size=192'] });
  const { org: own, founder: admin } = await foundedOrg(platform);
  const holder = await signIn(own);
  const paths = Array.from({ length: 1400 }, (_, index) => `/${index.toString(36)}`);
  for (let group = 0; group < 4; group++) {
    const made = Array.from({ length: 50 }, (_, index) =>
      act(admin, 'POST', '/create/aclpolicy', {
        body: { name: `${group}-${index}`, statements: [allow('getx', paths)] },
      }),
    );
    const ids = (await Promise.all(made)).flatMap(({ status, body }) => (status === 201 ? [body.id] : []));
    const bundle = await act(admin, 'POST', '/create/group', { body: { name: `group ${group}`, acl_policies: ids } });
    await act(admin, 'POST', '/create/usergroup', { body: { user_id: holder.id, group_id: bundle.body.id } });
  }
  let { token } = holder;
  for (let tokens = 0; tokens < 12; tokens++) {
    token = (await exchangeToken(own, token)).body.token;
    const refused = await call('GET', appUrl(own, '/count/user'), { token });
    assertProblem(refused, 'access_denied');
    assert.match(String(refused.body.detail), /2802\d\d patterns and values, and at most 2500 are evaluated/);
  }
  assert.equal((await act(admin, 'GET', '/count/user')).status, 200);
});

test('one connection that asks for much and reads nothing does not end the platform', async (context) => {
  const platform = await platformOf(context, { nodeFlags: ['--max-old-space-size=192'] });
  const { org: own, founder: reader } = await foundedOrg(platform);
  await defineEntity(own, definition('large', [{ name: 'text' }]));
  for (let index = 0; index < 5; index++) await create(reader, 'large', { text: 'x'.repeat(1_000_000) });
  const head = `GET /app/${own.code}/list/large HTTP/1.1\r\nHost: x\r\nAuthorization: ${reader.token}\r\n\r\n`;
  const { hostname, port } = new URL(platform.app);
  const socket = connect({ host: hostname, port: Number(port) });
  context.after(() => socket.destroy());
  socket.on('error', () => {}).pause();
  await new Promise<void>((resolve) => {
    socket.write(head.repeat(Math.floor(60_000 / head.length)), () => resolve());
  });
  for (let calls = 0; calls < 20; calls++)
    assert.equal((await act(reader, 'GET', '/list/large?pagesize=1')).status, 200);
});
