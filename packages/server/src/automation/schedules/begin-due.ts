import type { ConfigSet } from '../../config/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { uuidv7Of } from '../../lib/ids.ts';
import { Problem } from '../../lib/problem.ts';
import type { Store } from '../../store/port.ts';
import {
  defaultWorkspaceCode,
  type Environment,
  orgScopeName,
  type Workspace,
  workspaceScopeName,
  workspacesPartition,
  workspaceTable,
} from '../../tenancy/port.ts';
import { appUser } from '../app-user.ts';
import type { BlockSchedule } from '../kinds/logicblock-starts.ts';
import { assertMayWait } from '../runs/run-bounds.ts';
import { storedRuns } from '../runs/run-rows.ts';
import type { WorkMeter } from '../work-meter.ts';
import type { AutomationWork } from '../work-port.ts';

export interface BeginDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly meter: Pick<WorkMeter, 'check'>;
  readonly start: AutomationWork['start'];
}

/** A due time of a block of an org. */
export interface DueTime {
  readonly env: Environment;
  readonly orgCode: string;
  readonly block: string;
  readonly config: ConfigSet;
  /** Milliseconds since the epoch. */
  readonly due: number;
}

export interface Begun {
  /** Of a schedule of one workspace. */
  readonly run?: string;
  /** Why a run was refused. */
  readonly code?: string;
  /** Where to go on: the code of the last workspace. */
  readonly after?: string;
}

const workspacesPerTurn = 50;

/**
 * Begins the runs of a due time, of some workspaces after `after`. A run's id follows from the due time and the
 * workspace, so each has one, whichever process begins it and however often. A suspended workspace has none.
 */
export async function beginDue(
  deps: BeginDeps,
  time: DueTime,
  { workspaces = 'main', after }: Pick<BlockSchedule, 'workspaces'> & { readonly after?: string | undefined },
): Promise<Begun> {
  const scope = deps.stores[time.env].scope(orgScopeName(time.orgCode));
  if (workspaces === 'main') {
    const main = await workspaceTable.read(scope, defaultWorkspaceCode);
    if (main?.value.state !== 'ready') return { code: 'not_found' };
    if (main.value.suspended !== undefined) return { code: 'workspace_suspended' };
    return beginIn(deps, time, main.value);
  }
  const limit = workspacesPerTurn;
  const page = await workspaceTable.range(scope, workspacesPartition, {
    ...(after === undefined ? {} : { after }),
    limit,
  });
  const refusals: string[] = [];
  for (const { value } of page)
    if (value.state === 'ready' && value.suspended === undefined) {
      const { code } = await beginIn(deps, time, value);
      if (code !== undefined) refusals.push(code);
    }
  const last = page.length < limit ? undefined : page.at(-1)?.sk;
  return {
    ...(refusals[0] === undefined ? {} : { code: refusals[0] }),
    ...(last === undefined ? {} : { after: last }),
  };
}

async function beginIn(
  { stores, meter, start }: BeginDeps,
  { env, orgCode, block, config, due }: DueTime,
  { id: tenantId, code: tenantCode }: { readonly id: string; readonly code: string },
): Promise<Begun> {
  const scope = stores[env].scope(workspaceScopeName(orgCode, tenantCode));
  const workspace: Workspace = { env, orgCode, tenantId, tenantCode, scope };
  const run = uuidv7Of(due, JSON.stringify([env, orgCode, tenantId, block, due]));
  const at = timestamp(due);
  const isThere = async (): Promise<boolean> => (await storedRuns.read(scope, run)) !== undefined;
  if (await isThere()) return { run };
  try {
    await meter.check(orgCode, 'runs');
    await assertMayWait(scope);
    await start({
      ...{ workspace, config, block, id: run, input: {}, user: appUser },
      trigger: { kind: 'schedule', id: at, name: block },
      given: { event: { id: run, type: 'schedule', timestamp: at, depth: 1, path: '' } },
      origin: { depth: 0, chain: [] },
    });
    return { run };
  } catch (error) {
    if (!(error instanceof Problem) || error.code === 'unavailable') throw error;
    // Another process began it meanwhile, by another version of the block.
    return error.code === 'conflict' && (await isThere()) ? { run } : { code: error.code };
  }
}
