import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { isOver } from './hold-work.ts';
import { startWorkCounter } from './work-counter.ts';

const counter = startWorkCounter();
const { startCountedPlatform } = await import('./counted-platform.ts');
const { plantWork, workHeader } = await import('./planted-work.ts');
const { send } = await import('./send.ts');

const platform = await startCountedPlatform();
const uproot = plantWork();
after(async () => {
  uproot();
  await platform.close();
  counter.stop();
});

/** A call of which the planted work is so much. */
function measure(rounds: number) {
  const headers = { [workHeader]: String(rounds) };
  const call = () => send({ method: 'GET', url: `${platform.app}/healthz`, headers });
  return counter.measure(call, { isByTurn: true });
}

test('work of which the caller chooses how much is found, and where it is done', async () => {
  const { longestTurn, busiest } = await measure(20_000_000);
  assert.ok(isOver(longestTurn), JSON.stringify(longestTurn));
  assert.equal(busiest, 'work of testing/worst-cases/planted-work.ts');
});

test('the same call with little work is within the bound', async () => {
  const { longestTurn } = await measure(10);
  assert.ok(!isOver(longestTurn), JSON.stringify(longestTurn));
});

test('twice the work is counted as twice as much, whatever the machine does meanwhile', async () => {
  const [once, twice] = [await measure(3_000_000), await measure(6_000_000)];
  const ratio = twice.whole.steps / once.whole.steps;
  assert.ok(ratio > 1.99 && ratio < 2.01, String(ratio));
});

/** Searches as many characters in each of so many turns of the event loop. */
function searchInTurns(turns: number, charactersOfTurn: number) {
  const text = 'a'.repeat(charactersOfTurn);
  const search = async () => {
    for (let turn = 0; turn < turns; turn++) {
      assert.ok(!text.includes('b'));
      await setImmediate();
    }
  };
  return counter.measure(search, { isByTurn: true });
}

test('characters of several turns are not counted as those of one, on a fast machine too', async () => {
  const { whole, longestTurn } = await searchInTurns(20, 3_000_000);
  assert.ok(isOver(whole), JSON.stringify(whole));
  assert.ok(!isOver(longestTurn), JSON.stringify(longestTurn));
});

test('characters of one turn that are too many are found', async () => {
  const { longestTurn } = await searchInTurns(1, 30_000_000);
  assert.ok(isOver(longestTurn), JSON.stringify(longestTurn));
});
