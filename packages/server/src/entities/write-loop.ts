import { notFound, Problem } from '../lib/problem.ts';
import { type Change, type Committed, Conflict, ScopeClosed } from '../store/port.ts';
import type { CompiledEntity } from './compile-entity.ts';
import type { ConfigReader } from './config-reader.ts';
import { type Fences, fenceKey } from './fence.ts';
import type { Actor, Environment, Workspace } from './workspace.ts';

/** What a record call works on: the workspace, the entity at one version, and who asks. */
export interface RecordCall {
  readonly workspace: Workspace;
  readonly entity: CompiledEntity;
  readonly actor: Actor;
}

/** One change and what a conflict on it means: plan again from what stands now, or a refusal. */
export interface PlannedChange {
  readonly change: Change;
  readonly onConflict: 'replan' | (() => Problem);
}

export interface WriteLoopOptions {
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly fences: Fences;
}

/** Commits what `plan` says, planned anew while others change what it was planned on. */
export type WriteLoop = <Plan extends { readonly changes: readonly PlannedChange[] }>(
  call: RecordCall,
  plan: (call: RecordCall) => Promise<Plan>,
) => Promise<{ readonly plan: Plan; readonly committed: Committed }>;

const attemptsMax = 16;

export function createWriteLoop(options: WriteLoopOptions): WriteLoop {
  const { configs, fences } = options;

  const reload = async (call: RecordCall): Promise<RecordCall> => {
    const { workspace, entity } = call;
    fences.forget(workspace, entity.name);
    const set = await configs[workspace.env].refresh(workspace.orgCode);
    const current = await set.entity(entity.name);
    if (current === undefined) throw notFound();
    return { ...call, entity: current };
  };

  return async (firstCall, makePlan) => {
    let call = firstCall;
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const fence = await fences.at(call.workspace, call.entity).catch(explainClosed);
      if (fence === 'newer') {
        call = await reload(call);
        continue;
      }
      const plan = await makePlan(call);
      const outcome = await tryCommit(call, fence.itemVersion, plan.changes);
      if (outcome === 'stale') call = await reload(call);
      else if (outcome !== 'replan') return { plan, committed: outcome };
    }
    throw new Problem('conflict', 'others keep changing what this request changes: try again');
  };
}

/** `stale` where the fence has moved, `replan` where something else has. @throws Problem where a conflict is a refusal. */
async function tryCommit(
  call: RecordCall,
  fenceVersion: number,
  planned: readonly PlannedChange[],
): Promise<Committed | 'stale' | 'replan'> {
  const check: Change = { kind: 'check', ...fenceKey(call.entity.name), if: { version: fenceVersion } };
  try {
    return await call.workspace.scope.commit([check, ...planned.map(({ change }) => change)]);
  } catch (error) {
    if (!(error instanceof Conflict)) return explainClosed(error);
    if (error.changeIndex === 0) return 'stale';
    const refused = planned[error.changeIndex - 1];
    if (refused === undefined || refused.onConflict === 'replan') return 'replan';
    throw refused.onConflict();
  }
}

/** A workspace that takes no writes any more is as good as gone. */
function explainClosed(error: unknown): never {
  throw error instanceof ScopeClosed ? notFound() : error;
}
