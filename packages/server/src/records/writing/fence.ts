/**
 * Each entity of a workspace has a fence: the generation whose rules its records were last written by. Every record
 * commit checks it, so a node that has not seen a newer definition conflicts, reads the definition and tries again,
 * instead of writing a record by rules that no longer hold.
 */

import type { ConfigSet } from '../../config/port.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { notFound } from '../../lib/problem.ts';
import type { Key, Put, Scope } from '../../store/port.ts';
import { asRead, json, table } from '../../store/table.ts';
import { type CommitPlan, transact } from '../../store/transact.ts';
import type { Workspace } from '../../tenancy/port.ts';

/** Either the version of the fence item to check, or the news that newer configuration is in force. */
export type FenceState = { readonly itemVersion: number; readonly hasMarks: boolean } | 'newer';

export interface Fences {
  /** The fence to check for writes by this configuration; raises it first where it is lower. */
  at(workspace: Workspace, config: ConfigSet, entityName: string): Promise<FenceState>;
  forget(workspace: Workspace, entityName: string): void;
}

interface LoadedFence {
  readonly itemVersion: number;
  readonly generation: number;
  readonly hasMarks: boolean;
}

export function createFences(entriesMax = 10_000): Fences {
  const known = new BoundedMap<string, LoadedFence>(entriesMax);
  return {
    at: async (workspace, config, entityName) => {
      const key = cacheKey(workspace, entityName);
      const generation = config.generation(entityName);
      const cached = known.get(key);
      if (cached?.generation === generation) return cached;
      const read = await raise(workspace, entityName, { generation, configVersion: config.version });
      if (read !== 'newer') known.set(key, read);
      return read;
    },
    forget: (workspace, entityName) => {
      known.delete(cacheKey(workspace, entityName));
    },
  };
}

export function fenceKey(entityName: string): Key {
  return { pk: 'fence', sk: entityName };
}

interface Fence {
  /** Of an entity. */
  readonly generation?: number;
  /** Of an entity: a job removes records of it, and has marked them. Who writes its records looks for the marks. */
  readonly hasMarks?: true;
  /** Of the floor: below it no fence is made. */
  readonly configVersion?: number;
  /** Of the floor: the workspace whose scope it is; absent where that was not noted yet. */
  readonly tenantId?: string;
}

/** By entity, and the floor. */
export const fences = table(fenceKey, json<Fence>('fence', {}));

/** No entity has this name. Its row names the owner of the scope and the configurations that may no longer write there. */
const floor = '*';
export const floorKey = fenceKey(floor);

/**
 * The floor of a new workspace. A change of configuration that listed the workspaces before has not seen this one, so
 * no write by a configuration from before its founding is allowed here; nor is a write meant for an earlier workspace
 * with the code.
 */
export function minConfigVersion(configVersion: number, tenantId: string): Put {
  return fences.insert(floor, { configVersion, tenantId });
}

/** The floor of a removed workspace until its code is free: the scope has no owner, so every write is refused. */
export function tombstone(until: number): Put {
  return fences.put(floor, { configVersion: 0, tenantId: '' }, { if: 'any', due: { at: until, queue: 'expire' } });
}

export interface FenceLevel {
  readonly generation: number;
  /** The version of the configuration that says so. */
  readonly configVersion: number;
}

/**
 * Brings the fence to a generation; a higher one is left and returned.
 * @throws Problem `not_found` where the scope is not, or no more, that of the workspace.
 */
export async function raise(
  { scope, tenantId }: Pick<Workspace, 'scope'> & Partial<Pick<Workspace, 'tenantId'>>,
  entityName: string,
  { generation, configVersion }: FenceLevel,
): Promise<LoadedFence | 'newer'> {
  const plan = async (): Promise<RaisePlan> => {
    const [fence, ground] = await fences.readMany(scope, [entityName, floor]);
    if (isOfAnother(ground?.value, tenantId)) throw notFound();
    const existing = fence?.value.generation ?? -1;
    const hasMarks = fence?.value.hasMarks === true;
    if (fence !== undefined && existing === generation)
      return { changes: [], current: { itemVersion: fence.version, generation, hasMarks }, hasMarks };
    const isNewer =
      existing > generation || (fence === undefined && (ground?.value.configVersion ?? 0) > configVersion);
    if (isNewer) return { changes: [], current: 'newer', hasMarks };
    const raised = fences.put(entityName, fenceOf(generation, hasMarks), { if: asRead(fence) });
    return { changes: [raised, { kind: 'check', ...floorKey, if: asRead(ground) }], current: 'newer', hasMarks };
  };
  // Each refusal means that another has raised it.
  const { planned, committed } = await transact(scope, plan, { attemptsMax: Number.POSITIVE_INFINITY });
  const { current, hasMarks } = planned;
  return committed === undefined ? current : { itemVersion: committed.seq, generation, hasMarks };
}

/** Says that records of the entity are marked from this commit on, or are no more, as long as its fence stays so. */
export function putMarks(entityName: string, { itemVersion, generation }: LoadedFence, hasMarks: boolean): Put {
  return fences.put(entityName, fenceOf(generation, hasMarks), { if: { version: itemVersion } });
}

/** The same for the end of all marks, whatever the generations are by now. */
export async function endMarks(scope: Scope, entityNames: readonly string[]): Promise<readonly Put[]> {
  const rows = await fences.readMany(scope, entityNames);
  return rows.flatMap((row) => {
    if (row?.value.hasMarks !== true) return [];
    const { hasMarks: _, ...value } = row.value;
    return [fences.replace(row, value)];
  });
}

function fenceOf(generation: number, hasMarks: boolean): Fence {
  return { generation, ...(hasMarks ? { hasMarks } : {}) };
}

interface RaisePlan extends CommitPlan {
  /** The fence as it is, for a plan that changes nothing of it. */
  readonly current: LoadedFence | 'newer';
  readonly hasMarks: boolean;
}

function isOfAnother(ground: Fence | undefined, tenantId: string | undefined): boolean {
  return tenantId !== undefined && ground?.tenantId !== undefined && ground.tenantId !== tenantId;
}

function cacheKey(workspace: Workspace, entityName: string): string {
  // None of these has a space.
  return `${workspace.env} ${workspace.scope.name} ${workspace.tenantId} ${entityName}`;
}
