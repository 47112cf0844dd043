import { fences } from '../../config/port.ts';
import type { StoredRecord } from '../../records/port.ts';
import { readSealed, recordCounter, recordPlace } from '../../records/port.ts';
import type { Item, Key } from '../../store/port.ts';
import type { Claim, Verdict } from './claims.ts';
import type { DriftKind } from './findings.ts';
import { follows, type KeptEntity } from './kept-entity.ts';
import { drift, entityOfPartition, storedRecord, unopenedProblem, type WorkspaceLook } from './look.ts';

/** That an index item follows from the record that it points to. */
export function claimsOfEntry(look: WorkspaceLook, entry: Item): readonly Claim[] {
  look.findings.count('entries');
  const kept = entityOfPartition(look, entry.pk);
  const { target } = entry;
  if (kept === undefined || target === undefined) return stray(look, 'index', entry);
  const judge: Claim['judge'] = (item) => {
    const record = item !== undefined && look.ownerOf(item) === kept ? storedRecord(kept.entity, item) : undefined;
    if (record === undefined) return drift(look.workspace.scope, 'index', entry, `points to no ${kept.entity.name}`);
    if (follows(entry, kept, record.data)) return undefined;
    return drift(look.workspace.scope, 'index', entry, 'does not follow from its record');
  };
  return [{ key: target, judge }];
}

/** That a unique value is noted for a record that has it. */
export function claimsOfSentinel(look: WorkspaceLook, sentinel: Item): readonly Claim[] {
  look.findings.count('uniques');
  const kept = entityOfPartition(look, sentinel.pk);
  if (kept === undefined) return stray(look, 'unique', sentinel);
  return [
    claimOnRecord(look, kept, sentinel.value, (record) => {
      if (record !== undefined && follows(sentinel, kept, record.data)) return undefined;
      const problem = record === undefined ? 'belongs to no record' : 'does not follow from its record';
      return drift(look.workspace.scope, 'unique', sentinel, problem);
    }),
  ];
}

/** That sealed values lie beside a record, and open. */
export function claimsOfSealed(look: WorkspaceLook, item: Item): readonly Claim[] {
  look.findings.count('sealed');
  const kept = entityOfPartition(look, item.pk);
  if (kept?.entity.hasSealed !== true) return stray(look, 'sealed', item);
  if (!areOpen(look, kept, item)) report(look, 'sealed', item, unopenedProblem);
  return [
    claimOnRecord(look, kept, item.sk, (record) =>
      record === undefined ? drift(look.workspace.scope, 'sealed', item, 'belongs to no record') : undefined,
    ),
  ];
}

function areOpen({ workspace, sealer }: WorkspaceLook, { entity }: KeptEntity, { sk, value }: Item): boolean {
  try {
    for (const [field, sealed] of Object.entries(readSealed(value)))
      sealer.open(sealed, { scope: workspace.scope.name, entityName: entity.name, id: sk, field });
    return true;
  } catch {
    return false;
  }
}

/** A counter is compared once everything is counted. */
export function noteCounter(look: WorkspaceLook, counter: Item): void {
  look.tallies.noteCounter(counter);
  const isOfEntity = counter.pk === recordCounter('').pk || entityOfPartition(look, counter.pk) !== undefined;
  if (!isOfEntity) report(look, 'number', counter, 'belongs to no entity');
}

/**
 * A writer with a lower generation than the fence cannot write; if the fence is above the config version, no writer
 * can.
 */
export function checkFence(look: WorkspaceLook, fence: Item): void {
  const { generation = 0, configVersion = 0 } = fences.row(look.workspace.scope, fence).value;
  const { version, active } = look.config;
  const isLive = active(fence.sk) !== undefined;
  const isAbove = configVersion > version || (isLive && generation > look.config.generation(fence.sk));
  if (isAbove) report(look, 'fence', fence, 'is above the config version, so that every write is refused');
}

/** The record of an id, wherever it lies. */
function claimOnRecord(
  { workspace }: WorkspaceLook,
  { entity }: KeptEntity,
  id: string,
  judge: (record: StoredRecord | undefined) => Verdict,
): Claim {
  const judgeItem: Claim['judge'] = (item) => judge(item === undefined ? undefined : storedRecord(entity, item));
  return {
    key: recordPlace(entity, workspace, id),
    judge: (item) => (item?.target === undefined ? judgeItem(item) : { key: item.target, judge: judgeItem }),
  };
}

function stray(look: WorkspaceLook, kind: DriftKind, key: Key): readonly [] {
  report(look, kind, key, 'belongs to no entity');
  return [];
}

function report({ findings, workspace }: WorkspaceLook, kind: DriftKind, key: Key, problem: string): void {
  findings.add(drift(workspace.scope, kind, key, problem));
}
