import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFaultyPlatform } from './faulty-platform.ts';
import { type Fixture, setUpFixture } from './fixture.ts';
import type { Flow, Flows } from './flows/flow.ts';

const moments = ['before', 'after'] as const;

/** Tests of each flow, with each call of the stores failing in turn: before it takes effect, and of commits also after. */
export async function testFlows(flows: Flows): Promise<void> {
  const platform = await startFaultyPlatform();
  after(() => platform.close());
  const fixture = await setUpFixture(platform);
  for (const [name, flow] of Object.entries(flows))
    test(`of ${name}, no failing call of the store makes a success that is none, and the repeat leads to the end`, async () => {
      for (const when of moments) {
        let calls = 0;
        while (!(await isThrough(fixture, flow, { calls, when }))) calls += 1;
        assert.ok(calls > 0, 'no call failed');
      }
      assert.deepEqual(await platform.drift(), []);
    });
}

interface FaultPoint {
  readonly calls: number;
  readonly when: (typeof moments)[number];
}

/** True where the flow came to its end before the call that was to fail. */
async function isThrough(fixture: Fixture, flow: Flow, { calls, when }: FaultPoint): Promise<boolean> {
  const { fault, settle } = fixture.platform;
  const { send, already, check } = await flow.prepare(fixture);
  await settle();
  fault.plant(calls, when);
  const { status, body } = await send();
  await settle();
  const isOver = fault.isWaiting;
  fault.withdraw();
  const place = `call ${calls} failed ${when} it took effect`;
  assert.ok(status < 300 || (!isOver && status >= 500), `${place}: ${status}`);
  if (status === 503) assert.equal(body.code, when === 'after' ? 'outcome_unknown' : 'unavailable', place);
  // 202 promises nothing but that it was heard.
  if (status < 300 && status !== 202) await check();
  const again = status < 300 && status !== 202 ? status : (await send()).status;
  assert.ok(again < 300 || again === already, `${place}, and the repeat was answered ${again}`);
  await settle();
  await check();
  return isOver;
}
