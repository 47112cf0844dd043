/** Schedules of logic blocks. */
import assert from 'node:assert/strict';
import type { Fixture } from '../fixture.ts';
import type { Flow, Flows } from './flow.ts';

const path = '/schedules/flow_schedule';

/** A schedule that is due once in four years, running or paused. It is there from the first of these flows on. */
async function scheduled({ org }: Fixture, turn: 'pause' | 'resume'): Promise<void> {
  const name = 'flow_schedule';
  const policies = [{ Effect: 'Allow', Action: ['getorder'], Resource: ['/item/order/*'] }];
  const content = {
    ...{ name, run_as: 'app', policies },
    schedule: { cron: '0 0 29 2 *', timezone: 'UTC', missed: 'skip' },
    steps: [{ id: 'none', type: 'set', values: {} }],
  };
  const { status } = await org.manage('POST', '/config/logicblock', { name, content });
  assert.ok(status === 201 || status === 409, String(status));
  assert.equal((await org.manage('POST', `${path}/${turn}`)).status, 204);
}

async function isPaused({ org }: Fixture): Promise<readonly unknown[]> {
  const { items } = (await org.manage('GET', '/schedules')).body;
  return items.map((item) => (item as unknown as { readonly paused: boolean }).paused);
}

function turned(turn: 'pause' | 'resume', before: 'pause' | 'resume'): Flow {
  return {
    route: `POST /schedules/:name/${turn}`,
    prepare: async (fixture) => {
      await scheduled(fixture, before);
      const check = async () => assert.deepEqual(await isPaused(fixture), [turn === 'pause']);
      return { send: () => fixture.org.manage('POST', `${path}/${turn}`), check };
    },
  };
}

export const scheduleFlows: Flows = {
  'a schedule that is paused': turned('pause', 'resume'),
  'a schedule that is resumed': turned('resume', 'pause'),
};
