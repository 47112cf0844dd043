/** Every route of a gateway is sent the largest that it takes, and what it does in one turn is held to a bound. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { turnMax } from './bounds.ts';
import type { Case } from './exercise.ts';
import type { GatewayName } from './send.ts';
import { type MeasuredWork, startWorkCounter, type Work, type WorkCounter } from './work-counter.ts';

export function isOver({ steps, characters }: Work): boolean {
  return steps > turnMax.steps || characters > turnMax.characters;
}

/** Tests of each route. */
export async function holdWork(gateways: readonly GatewayName[]): Promise<void> {
  const counter = startWorkCounter();
  // Only what is loaded from now on is counted to the last block.
  const { startCountedPlatform } = await import('./counted-platform.ts');
  const { casesOf } = await import('./exercise.ts');
  const { placesOf } = await import('./rows/every-route.ts');
  const { gateScale, setStage } = await import('./stage.ts');
  const platform = await startCountedPlatform();
  after(async () => {
    await platform.close();
    counter.stop();
  });
  const stage = await setStage(platform, gateScale);
  for (const gateway of gateways)
    for (const [key, place] of placesOf(gateway))
      test(`${key} of the ${gateway} gateway does not keep others waiting, whatever it is sent`, async () => {
        const over: string[] = [];
        const { anything, largest } = casesOf(stage, place);
        // Where all of them together are within what one may do, none is over it; to look at each takes longer than to send it.
        const areFew = !isOver((await measureAll(counter, anything)).whole);
        for (const one of areFew ? largest : [...anything, ...largest]) {
          const { longestTurn, busiest } = await measure(counter, one);
          if (isOver(longestTurn)) over.push(`${one.what}: ${JSON.stringify(longestTurn)}, most of it in ${busiest}`);
        }
        await place.tidy?.(stage);
        assert.deepEqual(over, []);
      });
}

function measureAll(counter: WorkCounter, cases: readonly Case[]): Promise<MeasuredWork> {
  const sendAll = async (): Promise<void> => {
    for (const one of cases) one.demand(await (await one.prepare())());
  };
  return counter.measure(sendAll, { isByTurn: false });
}

/** Turns are looked at one by one only where the whole would be too much for one. */
async function measure(counter: WorkCounter, one: Case): Promise<MeasuredWork> {
  const attempt = async (isByTurn: boolean): Promise<MeasuredWork> => {
    const call = await one.prepare();
    return counter.measure(async () => one.demand(await call()), { isByTurn });
  };
  const whole = await attempt(false);
  return isOver(whole.whole) ? attempt(true) : whole;
}
