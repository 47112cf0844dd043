import type { WorkMeter } from '../work-meter.ts';
import { ScriptError } from './script-error.ts';
import type { ScriptRunner } from './script-runner.ts';

/** Counts what scripts take, also those that fail, and begins none beyond the plan. @throws Problem `plan_limit_exceeded` as well. */
export function meteredScripts(scripts: ScriptRunner, meter: WorkMeter): ScriptRunner {
  return {
    run: async (job) => {
      const place = { orgCode: job.org, env: job.env };
      await meter.check(job.org, 'script_ms');
      try {
        const result = await scripts.run(job);
        meter.add(place, 'script_ms', result.cpuMilliseconds);
        return result;
      } catch (error) {
        if (error instanceof ScriptError) meter.add(place, 'script_ms', error.cpuMilliseconds);
        throw error;
      }
    },
    close: () => scripts.close(),
  };
}
