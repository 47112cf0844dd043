import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorkSpy } from '../testing/work-spy.ts';
import { ScriptError } from './script-outcome.ts';
import { meteredScripts } from './script-runner.ts';

const job = { org: 'acme', env: 'test', source: '', args: '[]', now: 0, seed: '' } as const;

test('the time of scripts counts for their org, also of those that fail, and none begins beyond the plan', async () => {
  const { counted, full, meter } = new WorkSpy();
  let started = 0;
  const outcomes = [
    async () => ({ json: '1', cpuMilliseconds: 3 }),
    async () => Promise.reject(new ScriptError('failed', 'no', 1, { cpuMilliseconds: 40 })),
    async () => Promise.reject(new ScriptError('timeout', 'endless', undefined, { cpuMilliseconds: 500 })),
    async () => Promise.reject(new Error('a fault of the thread')),
  ];
  const runner = meteredScripts(
    { run: async () => outcomes[started++]?.() ?? assert.fail(), close: async () => undefined },
    meter,
  );
  assert.equal((await runner.run(job)).json, '1');
  for (let at = 1; at < outcomes.length; at++) await assert.rejects(runner.run(job));
  assert.deepEqual([...counted], [['acme test script_ms', 543]]);
  full.add('script_ms');
  await assert.rejects(runner.run(job), { code: 'plan_limit_exceeded' });
  assert.equal(started, outcomes.length);
});
