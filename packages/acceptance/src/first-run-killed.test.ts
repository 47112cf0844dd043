import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builderOf, commitsOf, demo, demoIsShown, isShown } from './demo-platform.ts';
import { eventually } from './eventually.ts';
import { startPlatform, temporaryDirectory } from './platform.ts';

test('a demo whose making is ended or killed, at whatever step, is completed by the next start', async (t) => {
  const dataDir = temporaryDirectory();
  for (const commits of [0, 2, 20, 40, 60]) {
    const started = await startPlatform({ dataDir, env: demo });
    t.after(() => started.kill());
    await eventually(`${commits} commits`, async () => isShown(started) || (await commitsOf(started)) >= commits);
    const ended = await (commits === 0 ? started.terminate() : started.kill());
    assert.equal(ended.code, commits === 0 ? 0 : null, started.stderr());
    assert.doesNotMatch(started.stderr(), /the demo could not be made/);
  }
  const last = await startPlatform({ dataDir, env: demo });
  t.after(() => last.kill());
  await demoIsShown(last);
  const builder = await builderOf(last, dataDir);
  assert.deepEqual(await builder.recordsOnceComplete(), {
    comment: 830,
    customer: 90,
    tag: 20,
    ticket: 802,
    time: 258,
  });
  assert.equal((await builder.itemsOf('/deploy/history')).length, 1);
});
