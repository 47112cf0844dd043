import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { call } from './call.ts';
import { logIn, newEmail, newOrgCode, password, signIn, signUp } from './org.ts';
import { platformOfFile } from './platform-for-tests.ts';

const gateways = await platformOfFile({ realPasswords: true });

test('a flood of sign-ups at one org refuses no sign-in of another, and none of builders', async () => {
  const [flooded, other] = [await signUp(gateways), await signUp(gateways)];
  const user = await signIn(other);
  const flood = Array.from({ length: 200 }, () => logIn(flooded, newEmail('flood')));
  for (let round = 0; round < 3; round++) assert.equal((await logIn(other, user.email)).status, 200);
  const { email } = other.builder;
  const session = await call('POST', `${gateways.management}/auth/login`, { body: { email, password } });
  assert.equal(session.status, 200, session.text);
  const replies = await Promise.all(flood);
  assert.deepEqual([...new Set(replies.map(({ status }) => status))].sort(), [200, 429]);
  for (const reply of replies.filter(({ status }) => status === 429)) {
    assertProblem(reply, 'rate_limited');
    assert.equal(reply.headers.get('retry-after'), '1');
  }
  // What was refused for a second was refused for no longer.
  assert.equal((await logIn(flooded, newEmail('late'))).status, 200);
});

test('a flood of sign-ups of builders from one network is refused in part, and no sign-in to an app', async () => {
  const org = await signUp(gateways);
  const user = await signIn(org);
  const body = () => ({ email: newEmail('flood'), password, name: 'Bea', org_name: 'Flood', org_code: newOrgCode() });
  const flood = Array.from({ length: 200 }, () => call('POST', `${gateways.management}/auth/signup`, { body: body() }));
  for (let round = 0; round < 3; round++) assert.equal((await logIn(org, user.email)).status, 200);
  const statuses = (await Promise.all(flood)).map(({ status }) => status);
  assert.deepEqual([...new Set(statuses)].sort(), [201, 429]);
});
