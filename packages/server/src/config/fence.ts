/**
 * Each entity of a workspace has a fence: the generation whose rules its records were last written by. Every record
 * commit checks it, so a node that has not seen a newer definition conflicts, reads the definition and tries again,
 * instead of writing a record by rules that no longer hold.
 */
import { BoundedMap } from '../lib/bounded-map.ts';
import { notFound } from '../lib/problem.ts';
import { type Condition, Conflict, type Item, type Key, type Put } from '../store/port.ts';
import type { Workspace } from '../tenancy/port.ts';
import type { ConfigSet } from './config-set.ts';

/** Either the version of the fence item to check, or the news that newer configuration is in force. */
export type FenceState = { readonly itemVersion: number } | 'newer';

export interface Fences {
  /** The fence to check for writes by this configuration; raises it first where it stands lower. */
  at(workspace: Workspace, config: ConfigSet, entityName: string): Promise<FenceState>;
  forget(workspace: Workspace, entityName: string): void;
}

interface Known {
  readonly itemVersion: number;
  readonly generation: number;
}

export function createFences(entriesMax = 10_000): Fences {
  const known = new BoundedMap<string, Known>(entriesMax);
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

/** No entity has this name. Under it stands whose the scope is, and by which configurations nobody may write there. */
export const floorKey = fenceKey('*');

interface Floor {
  readonly configVersion: number;
  /** Of the workspace whose scope it is; absent where that was not noted yet. */
  readonly tenantId?: string;
}

const anybodys: Floor = { configVersion: 0 };

/**
 * What a new workspace is founded with. Whoever changed the configuration before and looked for workspaces has not seen
 * this one, so nobody may write here by a configuration from before its founding; nor may anybody who still means a
 * workspace that had the code before.
 */
export function fenceFloor(configVersion: number, tenantId: string): Put {
  const floor: Floor = { configVersion, tenantId };
  return { kind: 'put', ...floorKey, value: JSON.stringify(floor), if: 'absent' };
}

/** What a removed workspace leaves until its code is free: the scope is nobody's, so nobody writes in it. */
export function nobodysFloor(until: number): Put {
  const floor: Floor = { configVersion: 0, tenantId: '' };
  return { kind: 'put', ...floorKey, value: JSON.stringify(floor), if: 'any', due: { at: until, queue: 'expire' } };
}

export interface FenceLevel {
  readonly generation: number;
  /** The version of the configuration that says so. */
  readonly configVersion: number;
}

/**
 * Brings the fence to a generation; one that stands higher already is left and told of.
 * @throws Problem `not_found` where the scope is not, or no more, that of the workspace.
 */
export async function raise(
  { scope, tenantId }: Pick<Workspace, 'scope'> & Partial<Pick<Workspace, 'tenantId'>>,
  entityName: string,
  { generation, configVersion }: FenceLevel,
): Promise<Known | 'newer'> {
  const key = fenceKey(entityName);
  for (;;) {
    const [item, floorItem] = await scope.get([key, floorKey]);
    const floor = floorItem === undefined ? anybodys : (JSON.parse(floorItem.value) as Floor);
    if (isOfAnother(floor, tenantId)) throw notFound();
    const stands = item === undefined ? -1 : (JSON.parse(item.value) as FenceLevel).generation;
    if (item !== undefined && stands === generation) return { itemVersion: item.version, generation };
    if (stands > generation) return 'newer';
    if (item === undefined && floor.configVersion > configVersion) return 'newer';
    const put: Put = { kind: 'put', ...key, value: JSON.stringify({ generation }), if: unchanged(item) };
    try {
      const { seq } = await scope.commit([put, { kind: 'check', ...floorKey, if: unchanged(floorItem) }]);
      return { itemVersion: seq, generation };
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
    }
  }
}

function isOfAnother(floor: Floor, tenantId: string | undefined): boolean {
  return tenantId !== undefined && floor.tenantId !== undefined && floor.tenantId !== tenantId;
}

function unchanged(item: Item | undefined): Condition {
  return item === undefined ? 'absent' : { version: item.version };
}

function cacheKey(workspace: Workspace, entityName: string): string {
  return JSON.stringify([workspace.env, workspace.scope.name, workspace.tenantId, entityName]);
}
