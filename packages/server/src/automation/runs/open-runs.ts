import type { AuditContext } from '../../audit/audit-entry.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { type BlockListDeps, type BlockPage, type BlockQuery, listBlocks } from '../blocks/block-list.ts';
import type { OrgPlace } from '../config/live-events.ts';
import { type BeginRun, type BeginRunDeps, beginRun } from './begin-run.ts';
import { type ControlDeps, cancelRun, type RunName, retryRun } from './control-run.ts';
import { type OwnRun, ownRun } from './own-run.ts';
import { listRuns, type RunLogDeps, type RunPage, type RunQuery, type ShownRun, showRun } from './run-log.ts';
import type { RunUser } from './run-rows.ts';

/** The logic blocks and runs of an org, as its builders see and change them. */
export interface Runs {
  /** By name. @throws Problem `invalid_cursor`. */
  blocks(place: OrgPlace, query: BlockQuery): Promise<BlockPage>;
  /** The latest first. @throws Problem `invalid_cursor`. */
  list(place: OrgPlace, query: RunQuery): Promise<RunPage>;
  /** @throws Problem `not_found`. */
  show(name: RunName): Promise<ShownRun>;
  /** @throws Problem `not_found`, `conflict` where the run is over. */
  cancel(name: RunName, by: AuditContext): Promise<void>;
  /** @throws Problem `not_found`, `conflict` where it cannot be retried, `validation_failed`. */
  retry(
    name: RunName,
    asked: { readonly by: AuditContext; readonly from?: string | undefined },
  ): Promise<{ readonly id: string }>;
  /** @throws Problem as `beginRun` says. */
  begin(asked: BeginRun): Promise<{ readonly run: string }>;
  /** A run that a user has begun by a call. @throws Problem `not_found`. */
  own(workspace: Workspace, id: string, who: RunUser): Promise<OwnRun>;
}

export function openRuns(deps: ControlDeps & BeginRunDeps & Pick<RunLogDeps, 'cursors'> & BlockListDeps): Runs {
  return {
    blocks: (place, query) => listBlocks(deps, place, query),
    list: (place, query) => listRuns(deps, place, query),
    show: (name) => showRun(deps, name),
    cancel: (name, by) => cancelRun(deps, name, by),
    retry: (name, asked) => retryRun(deps, name, asked),
    begin: (asked) => beginRun(deps, asked),
    own: (workspace, id, who) => ownRun(deps.runRows, workspace, { id, who }),
  };
}
