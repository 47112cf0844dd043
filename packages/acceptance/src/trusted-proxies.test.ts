import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from './call.ts';
import { newEmail, password, signUp } from './org.ts';
import { platformOf } from './platform-for-tests.ts';

test('H05: behind a trusted proxy failures count for the client it names; else for the connection', async (t) => {
  for (const [trusted, lastStatus] of [
    ['127.0.0.1', 401],
    ['', 429],
  ] as const) {
    const platform = await platformOf(t, { env: { FREEHOLD_TRUSTED_PROXIES: trusted } });
    const org = await signUp(platform);
    const email = newEmail('victim');
    const logIn = (secret: string, client: string) =>
      call('POST', `${platform.app}/app/${org.code}/login`, {
        body: { email, password: secret },
        headers: { client_id: org.clientId, 'x-forwarded-for': client },
      });
    assert.equal((await logIn(password, '192.0.2.1')).status, 200);
    for (let attempt = 0; attempt < 10; attempt++) await logIn('wrong password', '192.0.2.7');
    assert.equal((await logIn('wrong password', '192.0.2.7')).status, 429);
    assert.equal((await logIn('wrong password', '192.0.2.8')).status, lastStatus);
  }
});
