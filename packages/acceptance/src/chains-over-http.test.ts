import { test } from 'node:test';
import { assertLoopEnds } from './chains-over-http.ts';
import { foundedOrg } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { skip, twoNodes } from './two-nodes.ts';

test('K11: an event whose webhook calls a hook of its own app stops after 8 writes, and its receipt names the way', async () => {
  const gateways = await platformForTests();
  const { founder } = await foundedOrg(gateways);
  await assertLoopEnds(founder, gateways.app);
});

test('K11: a loop of webhooks and hooks ends where they go from one node to another', { skip }, async (t) => {
  const { one, other } = await twoNodes(t);
  const { founder } = await foundedOrg(one);
  await assertLoopEnds(founder, other.app);
});
