/**
 * Each entity of a workspace has a fence: the config version whose rules its records were last written by. Every
 * record commit checks it, so a node that has not seen a newer definition conflicts, reads the definition and tries
 * again, instead of writing a record by rules that no longer hold.
 */
import { BoundedMap } from '../lib/bounded-map.ts';
import { Conflict, type Key, type Put } from '../store/port.ts';
import type { CompiledEntity } from './compile-entity.ts';
import type { Workspace } from './workspace.ts';

/** Either the version of the fence item to check, or the news that a newer definition is in force. */
export type FenceState = { readonly itemVersion: number } | 'newer';

export interface Fences {
  /** The fence to check for writes by this definition; raises it first where it stands lower. */
  at(workspace: Workspace, entity: CompiledEntity): Promise<FenceState>;
  forget(workspace: Workspace, entityName: string): void;
}

interface Known {
  readonly itemVersion: number;
  readonly definition: number;
}

export function createFences(entriesMax = 10_000): Fences {
  const known = new BoundedMap<string, Known>(entriesMax);
  return {
    at: async (workspace, entity) => {
      const key = cacheKey(workspace, entity.name);
      const cached = known.get(key);
      if (cached?.definition === entity.version) return cached;
      const read = await raise(workspace, entity.name, entity.version);
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

/** Brings the fence to a definition's version; one that stands higher already is left and told of. */
export async function raise(
  workspace: Pick<Workspace, 'scope'>,
  entityName: string,
  definition: number,
): Promise<Known | 'newer'> {
  for (;;) {
    const key = fenceKey(entityName);
    const [item] = await workspace.scope.get([key]);
    const stands = item === undefined ? undefined : (JSON.parse(item.value) as { definition: number }).definition;
    if (item !== undefined && stands === definition) return { itemVersion: item.version, definition };
    if (stands !== undefined && stands > definition) return 'newer';
    const put: Put = {
      kind: 'put',
      ...key,
      value: JSON.stringify({ definition }),
      if: item === undefined ? 'absent' : { version: item.version },
    };
    try {
      const { seq } = await workspace.scope.commit([put]);
      return { itemVersion: seq, definition };
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
    }
  }
}

function cacheKey(workspace: Workspace, entityName: string): string {
  return JSON.stringify([workspace.env, workspace.scope.name, workspace.tenantId, entityName]);
}
