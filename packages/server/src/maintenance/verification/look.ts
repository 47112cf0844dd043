import type { ConfigSet } from '../../config/port.ts';
import type { Sealer } from '../../records/port.ts';
import { mayBeId, readRecord, type StoredRecord } from '../../records/port.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import type { Item, Key, ScopeName } from '../../store/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import type { Drift, DriftKind, Findings } from './findings.ts';
import type { KeptEntity } from './kept-entity.ts';
import type { Tallies } from './tallies.ts';

/** A look at everything that one workspace holds. */
export interface WorkspaceLook {
  readonly workspace: Pick<Workspace, 'orgCode' | 'tenantCode' | 'scope'>;
  readonly config: ConfigSet;
  /** Of the configuration, of the platform, and those whose records are still being removed. */
  readonly entities: ReadonlyMap<string, KeptEntity>;
  readonly ownerOf: (key: Key) => KeptEntity | undefined;
  readonly sealer: Pick<Sealer, 'open'>;
  readonly tallies: Tallies;
  readonly findings: Findings;
}

export const unopenedProblem = 'opens with no known key, or was changed or moved';

export function drift(scope: { readonly name: ScopeName }, kind: DriftKind, key: Key, problem: string): Drift {
  return { kind, scope: scope.name, key: { pk: key.pk, sk: key.sk }, problem };
}

/** The entity that a partition such as `index#order;…` is named for. */
export function entityOfPartition({ entities }: WorkspaceLook, pk: string): KeptEntity | undefined {
  const name = pk.slice(pk.indexOf('#') + 1);
  const end = name.indexOf(';');
  return entities.get(end === -1 ? name : name.slice(0, end));
}

/** Undefined where the item holds something else. */
export function storedRecord(entity: CompiledEntity, item: Item): StoredRecord | undefined {
  try {
    const record = readRecord(entity, item);
    return mayBeId(String(record.data.id)) ? record : undefined;
  } catch {
    return undefined;
  }
}
