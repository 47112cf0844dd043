import { Problem } from '../../lib/problem.ts';
import type { Failed, Notify } from '../alerts.ts';
import type { WorkKind, WorkMeter } from '../automation-deps.ts';

/** Notes the counted work and the notices, and has room until a test takes it. Only tests may use it. */
export class WorkSpy {
  readonly alerts: Failed[] = [];
  /** By org, environment and kind of work, as in `acme test runs`. */
  readonly counted = new Map<string, number>();
  /** The kinds of work that the plan has no room for. */
  readonly full = new Set<WorkKind>();

  readonly notify: Notify = async (_place, failed) => {
    this.alerts.push(failed);
  };

  readonly meter: WorkMeter = {
    add: ({ orgCode, env }, kind, by) => {
      const key = `${orgCode} ${env} ${kind}`;
      this.counted.set(key, (this.counted.get(key) ?? 0) + by);
    },
    check: (_orgCode, kind) => {
      if (this.full.has(kind)) throw new Problem('plan_limit_exceeded', `the plan has no room for ${kind}`);
    },
    fullUntil: (_orgCode, kind) => (this.full.has(kind) ? Number.MAX_SAFE_INTEGER : undefined),
  };
}
