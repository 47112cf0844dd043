import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAccessEpochs } from '../../iam/policies/epochs.ts';
import { secretHash, secretToken, uuidv7Source } from '../../lib/ids.ts';
import { createMailQueue } from '../../mail/mailer.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { createMailThrottle } from '../realm/mailed-codes.ts';
import { createLoginThrottle } from '../realm/realm.ts';
import { authenticate, newSession } from '../sessions/org-sessions.ts';
import { factorDeps } from '../testing/factor-deps.ts';
import { createFastHasher } from '../testing/fast-passwords.ts';
import type { OrgAccountsDeps } from './account.ts';
import { signUp } from './org-accounts.ts';
import { createCommandSignIns } from './sign-in-links.ts';

const minute = 60_000;
const ip = '192.0.2.1';

/** A builder, and a clock that is moved by hand. */
async function withBuilder() {
  let now = 1_800_000_000_000;
  const clock = { now: () => now };
  const { store } = await openStore({ kind: 'memory', clock });
  const platform = store.scope('platform');
  const deps: OrgAccountsDeps = {
    platform,
    clock,
    newId: uuidv7Source(clock),
    hasher: createFastHasher(),
    loginThrottle: createLoginThrottle({ clock }),
    mailThrottle: createMailThrottle({ clock }),
    mailer: createMailQueue({ deliver: async () => undefined, onFault: (error) => assert.ifError(error) }),
    policy: 'open',
    revocations: createAccessEpochs(),
    ...factorDeps(clock),
  };
  const account = { email: 'bea@example.com', password: 'correct horse 1', name: 'Bea', org_name: 'Acme' };
  const { user, org } = await signUp(deps, { ...account, org_code: 'acme' }, { ip, requestId: 'request' });
  const signIns = createCommandSignIns(deps);
  const callerOf = async () => {
    const { token, changes } = await newSession(deps, user, org.code);
    await platform.commit(changes);
    const caller = await authenticate(platform, token);
    assert.ok(caller !== undefined);
    return caller;
  };
  return { signIns, callerOf, advance: (by: number) => (now += by) };
}

function newChallenge(): { readonly verifier: string; readonly challenge: string } {
  const verifier = secretToken();
  return { verifier, challenge: secretHash(verifier) };
}

test('N07: a code is good to the last moment of its 5 minutes', async () => {
  const { signIns, callerOf, advance } = await withBuilder();
  const caller = await callerOf();
  for (const [wait, isGood] of [
    [5 * minute - 1, true],
    [5 * minute, false],
  ] as const) {
    const { verifier, challenge } = newChallenge();
    const { code = '' } = await signIns.decide(caller, { challenge, allow: true });
    advance(wait);
    const used = signIns.use({ code, verifier }, ip);
    if (isGood) assert.ok((await used).token.startsWith('fm_'));
    else await assert.rejects(used, { code: 'not_found' });
  }
});

test('N07: what is denied, or used, stays so for longer than a command waits', async () => {
  const { signIns, callerOf, advance } = await withBuilder();
  const caller = await callerOf();
  const [denied, used] = [newChallenge(), newChallenge()];
  await signIns.decide(caller, { challenge: denied.challenge, allow: false });
  const { code = '' } = await signIns.decide(caller, { challenge: used.challenge, allow: true });
  await signIns.use({ code, verifier: used.verifier }, ip);
  advance(60 * minute - 1);
  for (const { challenge } of [denied, used])
    await assert.rejects(signIns.decide(caller, { challenge, allow: true }), { code: 'conflict' });
});
