import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAccessEpochs } from '../../iam/policies/epochs.ts';
import { systemClock } from '../../lib/clock.ts';
import { uuidv7Source } from '../../lib/ids.ts';
import { createMailQueue, type Mail } from '../../mail/mailer.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { createMailThrottle } from '../realm/mailed-codes.ts';
import { createLoginThrottle } from '../realm/realm.ts';
import { authenticate, newSession } from '../sessions/org-sessions.ts';
import { factorDeps } from '../testing/factor-deps.ts';
import { createFastHasher } from '../testing/fast-passwords.ts';
import type { OrgAccountsDeps } from './account.ts';
import { changeOrgPassword, forgotOrgPassword, resetOrgPassword, signUp } from './org-accounts.ts';

const email = 'bea@example.com';
const password = 'correct horse 1';
const new_password = 'correct horse 2';

async function withBuilder() {
  const { store } = await openStore({ kind: 'memory', clock: systemClock });
  const mails: Mail[] = [];
  const mailer = createMailQueue({
    deliver: async (mail) => void mails.push(mail),
    onFault: (error) => assert.ifError(error),
  });
  const platform = store.scope('platform');
  const deps: OrgAccountsDeps = {
    platform,
    clock: systemClock,
    newId: uuidv7Source(systemClock),
    hasher: createFastHasher(),
    loginThrottle: createLoginThrottle({ clock: systemClock }),
    mailThrottle: createMailThrottle({ clock: systemClock }),
    mailer,
    policy: 'open',
    revocations: createAccessEpochs(),
    ...factorDeps(systemClock),
  };
  const { token, user } = await signUp(
    deps,
    { email, password, name: 'Bea', org_name: 'Acme' },
    { ip: '192.0.2.1', requestId: 'request' },
  );
  const codeMailed = async (): Promise<string> => {
    forgotOrgPassword(deps, { email }, { ip: '192.0.2.1', siteUrl: 'https://freehold.example' });
    await mailer.settled();
    return /#code=(\S+)/.exec(mails.at(-1)?.text ?? '')?.[1] ?? '';
  };
  // A log-in that the old password has passed, planned and not yet committed.
  const late = await newSession(deps, user, 'acme');
  const isAlive = async (held: string) => (await authenticate(platform, held)) !== undefined;
  return { deps, platform, token, late, codeMailed, isAlive };
}

test('A35: a session of a log-in that the new password overtakes is dead from its beginning', async () => {
  const { deps, platform, token, late, codeMailed, isAlive } = await withBuilder();
  await resetOrgPassword(deps, { body: { code: await codeMailed(), new_password }, ip: '192.0.2.1' });
  await platform.commit(late.changes);
  assert.deepEqual([await isAlive(late.token), await isAlive(token)], [false, false]);
});

test('A35: so is a session that a changed password overtakes, and the session in hand lives on', async () => {
  const { deps, platform, token, late, isAlive } = await withBuilder();
  const caller = await authenticate(platform, token);
  assert.ok(caller !== undefined);
  await changeOrgPassword(deps, caller, { body: { current_password: password, new_password }, ip: '192.0.2.1' });
  await platform.commit(late.changes);
  assert.deepEqual([await isAlive(late.token), await isAlive(token)], [false, true]);
});
