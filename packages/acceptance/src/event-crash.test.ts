/** What a platform delivers that is killed again and again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chances } from './crash/chances.ts';
import { EventRun, findLostEvents } from './crash/event-round.ts';
import { whyNoDataDir } from './platform.ts';

const rounds = 20;

test('kill -9 while events are delivered loses none, invents none, and keeps the order of each record', async (t) => {
  const run = await EventRun.begin(chances(7));
  t.after(() => run.close());
  for (let round = 1; round <= rounds; round++) {
    await run.writeUntilKilled();
    await run.startAgain();
    await run.hold();
  }
  await run.drain();
  await run.verify();
  await run.end();
  assert.ok(run.writes > rounds, run.report);
});

test('the crash loop of events finds a platform that forgets events', { skip: whyNoDataDir }, async () => {
  assert.match(
    await findLostEvents(chances(8)),
    /came before the write that it follows|without their event|writes of events are missing/,
  );
});
