/**
 * Each entity of a workspace has a fence: the generation whose rules its records were last written by. Every record
 * commit checks it, so a node that has not seen a newer definition conflicts, reads the definition and tries again,
 * instead of writing a record by rules that no longer hold.
 */
import { BoundedMap } from '../lib/bounded-map.ts';
import { Conflict, type Item, type Key, type Put } from '../store/port.ts';
import type { ConfigSet } from './config-set.ts';
import type { Workspace } from './workspace.ts';

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

/** No entity has this name. Under it stands the config version at which the workspace was founded. */
const floorKey = fenceKey('*');

/**
 * What a new workspace is founded with. Whoever changed the configuration before and looked for workspaces has not seen
 * this one, so nobody may write here by a configuration from before its founding.
 */
export function fenceFloor(configVersion: number): Put {
  return { kind: 'put', ...floorKey, value: JSON.stringify({ configVersion }), if: 'absent' };
}

export interface FenceLevel {
  readonly generation: number;
  /** The version of the configuration that says so. */
  readonly configVersion: number;
}

/** Brings the fence to a generation; one that stands higher already is left and told of. */
export async function raise(
  { scope }: Pick<Workspace, 'scope'>,
  entityName: string,
  { generation, configVersion }: FenceLevel,
): Promise<Known | 'newer'> {
  const key = fenceKey(entityName);
  for (;;) {
    const [item, floor] = await scope.get([key, floorKey]);
    const stands = item === undefined ? -1 : (JSON.parse(item.value) as FenceLevel).generation;
    if (item !== undefined && stands === generation) return { itemVersion: item.version, generation };
    if (stands > generation) return 'newer';
    if (item === undefined && isBelow(floor, configVersion)) return 'newer';
    const condition = item === undefined ? 'absent' : { version: item.version };
    const put: Put = { kind: 'put', ...key, value: JSON.stringify({ generation }), if: condition };
    try {
      const { seq } = await scope.commit([put]);
      return { itemVersion: seq, generation };
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
    }
  }
}

function isBelow(floor: Item | undefined, configVersion: number): boolean {
  return floor !== undefined && (JSON.parse(floor.value) as FenceLevel).configVersion > configVersion;
}

function cacheKey(workspace: Workspace, entityName: string): string {
  return JSON.stringify([workspace.env, workspace.scope.name, workspace.tenantId, entityName]);
}
