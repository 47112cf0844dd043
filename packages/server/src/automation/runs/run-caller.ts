import type { EventOrigin } from '../../records/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import type { BlockCaller } from '../blocks/caller-effects.ts';
import type { RunUser } from './run-rows.ts';

/** Finds the callers of runs that no request waits for. */
export interface RunCallers {
  /**
   * @param runId stands where a request has its id. @param block what the audit log names where there is no user.
   * @throws Problem `access_denied` where the user may not act in the workspace any more.
   */
  as(who: RunUser, workspace: Workspace, runId: string, block?: string): Promise<BlockCaller>;
}

/** Who works, and what made the run. */
export interface RunPlace {
  readonly caller: BlockCaller;
  readonly origin: EventOrigin;
}
