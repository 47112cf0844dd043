/** Every call takes its turn in the line of its own org and workspace, and leaves it. */
import assert from 'node:assert/strict';
import { after, mock, test } from 'node:test';
import { scheduler } from '../../lib/scheduling/event-loop.ts';
import type { ShareKey } from '../../lib/scheduling/fair-scheduler.ts';
import { startFaultyPlatform } from './faulty-platform.ts';
import { setUpFixture } from './fixture.ts';

const platform = await startFaultyPlatform();
after(() => platform.close());
const fixture = await setUpFixture(platform);

/** In whose lines the calls entered that were made meanwhile. */
async function shareKeysOf(work: () => Promise<unknown>): Promise<readonly ShareKey[]> {
  const enter = mock.method(scheduler, 'enter');
  const leave = mock.method(scheduler, 'leave');
  await work();
  const entered = enter.mock.calls.map(({ arguments: [id, shareKey] }) => ({ id, shareKey }));
  assert.deepEqual(
    leave.mock.calls.map(({ arguments: [id] }) => id),
    entered.map(({ id }) => id),
  );
  enter.mock.restore();
  leave.mock.restore();
  return entered.map(({ shareKey }) => shareKey);
}

test('a call with a token in that of its workspace, also one that is refused', async () => {
  const shareKey = { org: fixture.org.code, workspace: fixture.founder.tenantId };
  assert.deepEqual(await shareKeysOf(() => fixture.act('GET', '/list/order')), [shareKey]);
  assert.deepEqual(await shareKeysOf(() => fixture.act('GET', '/list/nothing')), [shareKey]);
});

test('a call of a builder in that of the builders of its org', async () => {
  const shareKeys = await shareKeysOf(() => fixture.org.manage('GET', '/org/settings'));
  assert.deepEqual(shareKeys, [{ org: fixture.org.code, workspace: 'builders' }]);
});

test('a call without a token in that of all such, beside others from the same network, and a probe in none', async () => {
  const shareKeys = await shareKeysOf(() => fixture.org.logIn(fixture.founder.email));
  assert.deepEqual(
    shareKeys.map(({ org, workspace }) => [org, workspace.replace(/^[0-9a-f:]+::\/64$/, 'a network')]),
    [['', 'a network']],
  );
  assert.deepEqual(await shareKeysOf(() => fetch(`${platform.app}/readyz`)), []);
});
