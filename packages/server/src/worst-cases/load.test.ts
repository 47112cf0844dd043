/**
 * Every route is sent the largest that it takes, over HTTP to a platform at its full size in a process of its own, and what
 * the event loop and the memory of that process show is held to bounds. Time is that of the processor, so that what else runs
 * on the machine is no part of it. What is over a bound is sent up to three times, and the least counts.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type GatewayName, placesOf } from './every-route.ts';
import { type Case, casesOf } from './exercise.ts';
import { overLoad } from './known-load.ts';
import { type Load, startMeasuredPlatform } from './measured-platform.ts';
import { memoryHeader, workHeader } from './planted-work.ts';
import { send } from './send.ts';
import { fullScale, setStage } from './stage.ts';

const millisecondsMax = 50;
const megabytesMax = 64;
const triesMax = 3;

const platform = await startMeasuredPlatform();
after(() => platform.close());
const stage = await setStage(platform, fullScale);

interface Judged extends Load {
  readonly isOver: boolean;
}

async function measure(prepare: () => Promise<() => Promise<unknown>>): Promise<Judged> {
  let least: Load | undefined;
  for (let attempt = 0; attempt < triesMax; attempt++) {
    const load = await platform.measure(await prepare());
    if (least === undefined || load.milliseconds < least.milliseconds) least = load;
    if (least.milliseconds <= millisecondsMax && least.left <= megabytesMax) return { ...least, isOver: false };
  }
  return { ...(least ?? assert.fail()), isOver: true };
}

const planted = (headers: Readonly<Record<string, string>>) => async () => () =>
  send({ method: 'GET', url: `${platform.app}/healthz`, headers });

test('a route that keeps the event loop is found', async () => {
  assert.ok((await measure(planted({ [workHeader]: '200000000' }))).isOver);
});

test('a route that keeps memory is found', async () => {
  assert.ok((await measure(planted({ [memoryHeader]: String(80 * 1024 * 1024) }))).isOver);
});

test('a route that does little is not', async () => {
  assert.ok(!(await measure(planted({}))).isOver);
});

for (const gateway of ['app', 'management'] as const satisfies readonly GatewayName[])
  for (const [key, place] of placesOf(gateway))
    test(`${key} of the ${gateway} gateway keeps nobody waiting for ${millisecondsMax} ms, nor ${megabytesMax} MB`, async (context) => {
      const over: string[] = [];
      for (const one of casesOf(stage, place)) {
        const load = await measureCase(one);
        const { milliseconds, late, left, peak } = load;
        const line = `${one.what}: ${milliseconds.toFixed()} ms (${late.toFixed()} ms late), ${left.toFixed(1)} MB left, ${peak?.toFixed() ?? '?'} MB at the peak`;
        context.diagnostic(`${key}: ${line}`);
        if (load.isOver && overLoad[`${key}: ${one.what}`] === undefined) over.push(line);
      }
      assert.deepEqual(over, []);
    });

function measureCase({ prepare, demand }: Case) {
  return measure(async () => {
    const call = await prepare();
    return async () => demand(await call());
  });
}
