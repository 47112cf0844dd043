import type { AuditContext } from '../../audit/audit-entry.ts';
import type { Environment } from '../../tenancy/port.ts';
import { type ControlDeps, cancelRun, type RunName, retryRun } from './control-run.ts';
import { listRuns, type RunLogDeps, type RunPage, type RunQuery, type ShownRun, showRun } from './run-log.ts';

/** The runs of an org, as its builders see and change them. */
export interface Runs {
  /** The latest first. @throws Problem `invalid_cursor`. */
  list(place: { readonly env: Environment; readonly orgCode: string }, query: RunQuery): Promise<RunPage>;
  /** @throws Problem `not_found`. */
  show(name: RunName): Promise<ShownRun>;
  /** @throws Problem `not_found`, `conflict` where the run is over. */
  cancel(name: RunName, by: AuditContext): Promise<void>;
  /** @throws Problem `not_found`, `conflict` where it cannot be retried, `validation_failed`. */
  retry(
    name: RunName,
    asked: { readonly by: AuditContext; readonly from?: string | undefined },
  ): Promise<{ readonly id: string }>;
}

export function openRuns(deps: ControlDeps & Pick<RunLogDeps, 'cursors'>): Runs {
  return {
    list: (place, query) => listRuns(deps, place, query),
    show: (name) => showRun(deps, name),
    cancel: (name, by) => cancelRun(deps, name, by),
    retry: (name, asked) => retryRun(deps, name, asked),
  };
}
