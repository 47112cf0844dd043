import { heldIds, lookupOf } from '../../schema/port.ts';
import type { Item, Key, Maintenance } from '../../store/port.ts';
import { walkScope } from '../../store/walk.ts';
import { workspaceOrg } from '../../tenancy/port.ts';
import { wrongText } from '../aggregates/kept/check-kept.ts';
import { type Derived, recordCounter } from '../indexes/derive.ts';
import type { StoredRecord } from '../record.ts';
import { directKey, recordPlace } from '../record-keys.ts';
import { fences } from '../writing/fence.ts';
import { sameKey } from '../writing/record-changes.ts';
import { readSealed } from '../writing/sealed-values.ts';
import { follows, type IndexedEntity, requiredBy } from './indexed-entity.ts';
import {
  type Claim,
  type ClaimVerdict,
  type DriftKind,
  drift,
  entityOfPartition,
  judgeClaims,
  storedRecord,
  unopenedProblem,
  type WorkspaceLook,
} from './look.ts';

const itemsPerRead = 200;

/**
 * Goes through everything that a workspace holds, once: each record asks for what is to lie beside it, and each thing
 * beside records for its record. There must be no writes meanwhile. Memory does not grow with the records.
 */
export async function checkWorkspace(maintenance: Pick<Maintenance, 'scan'>, look: WorkspaceLook): Promise<void> {
  const { findings, tallies, workspace } = look;
  findings.count('workspaces');
  for await (const items of walkScope(maintenance, workspace.scope, itemsPerRead)) {
    const claims: Claim[] = [];
    for (const item of items) claims.push(...(await claimsOf(look, item)));
    await judgeClaims(workspace.scope, claims, (found) => findings.add(found));
  }
  for (const { kind, key, problem } of tallies.drift()) findings.add(drift(workspace.scope, kind, key, problem));
  for (const wrong of look.aggregates.wrong())
    findings.add(drift(workspace.scope, 'aggregate', wrong.key, wrongText(wrong)));
}

/** Items elsewhere belong to other modules and follow from nothing here. */
async function claimsOf(look: WorkspaceLook, item: Item): Promise<readonly Claim[]> {
  const { pk } = item;
  if (pk.startsWith('index#')) return claimsOfEntry(look, item);
  if (pk.startsWith('unique#')) return claimsOfSentinel(look, item);
  if (pk.startsWith('kept#')) return noteGroup(look, item);
  if (pk.startsWith('sealed#')) return claimsOfSealed(look, item);
  if (pk.startsWith(`org#${workspaceOrg(look.workspace)};`)) return claimsOfRecord(look, item);
  if (pk === 'count' || pk.startsWith('number#')) noteCounter(look, item);
  if (pk === 'fence') checkFence(look, item);
  return [];
}

/** The items that a record needs beside it. Items that no record needs are found when they are read. */
async function claimsOfRecord(look: WorkspaceLook, item: Item): Promise<readonly Claim[]> {
  const kept = look.ownerOf(item);
  const record = kept === undefined ? undefined : storedRecord(kept.entity, item);
  if (kept === undefined || record === undefined) {
    const problem = kept === undefined ? 'is not the key of any entity’s record' : 'holds no record';
    look.findings.add(drift(look.workspace.scope, 'record', item, problem));
    return [];
  }
  look.findings.count('records');
  const required = requiredBy(kept, record.data);
  look.tallies.noteRecord(kept, record.data, required);
  look.aggregates.noteRecord(kept.required.aggregates, record.data);
  const place = directKey(kept.entity, look.workspace, record.data.id);
  if (place !== undefined && !sameKey(place, record.key))
    look.findings.add(drift(look.workspace.scope, 'record', item, `is not the key of its id ${record.data.id}`));
  return [
    ...entryClaims(look, record, required),
    ...sentinelClaims(look, required),
    ...(await lookupClaims(look, kept, record)),
  ];
}

function entryClaims(
  { workspace }: WorkspaceLook,
  { key, data }: StoredRecord,
  { entries }: Derived,
): readonly Claim[] {
  return entries.map((entry) => ({
    key: entry,
    judge: (item) => {
      if (item?.target !== undefined && sameKey(item.target, key)) return undefined;
      const problem = item === undefined ? 'is missing' : 'points elsewhere';
      return drift(workspace.scope, 'index', entry, `${problem}: the record ${data.id} requires it`);
    },
  }));
}

function sentinelClaims({ workspace }: WorkspaceLook, { sentinels }: Derived): readonly Claim[] {
  return sentinels.map(({ key, id }) => ({
    key,
    judge: (item) => {
      if (item?.value === id) return undefined;
      const problem = item === undefined ? 'is missing' : `is held by ${item.value}`;
      return drift(workspace.scope, 'unique', key, `${problem}: the record ${id} has these values`);
    },
  }));
}

async function lookupClaims(
  { workspace, config }: WorkspaceLook,
  { entity }: IndexedEntity,
  { key, data }: StoredRecord,
): Promise<readonly Claim[]> {
  const claims: Claim[] = [];
  for (const { name, definition } of entity.fields.values()) {
    const lookup = lookupOf(definition);
    const target = lookup === undefined ? undefined : await config.entity(lookup.entity);
    if (target === undefined) continue;
    for (const id of new Set(heldIds(entity, name, data))) {
      const problem = `\`${name}\` names the ${target.name} ${id}, which does not exist`;
      const dangling = drift(workspace.scope, 'dangling', key, problem);
      claims.push({
        key: recordPlace(target, workspace, id),
        judge: (item) => (item === undefined ? dangling : undefined),
      });
    }
  }
  return claims;
}

/** That an index item follows from the record that it points to. */
function claimsOfEntry(look: WorkspaceLook, entry: Item): readonly Claim[] {
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
function claimsOfSentinel(look: WorkspaceLook, sentinel: Item): readonly Claim[] {
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
function claimsOfSealed(look: WorkspaceLook, item: Item): readonly Claim[] {
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

function areOpen({ workspace, sealer }: WorkspaceLook, { entity }: IndexedEntity, { sk, value }: Item): boolean {
  try {
    for (const [field, sealed] of Object.entries(readSealed(value)))
      sealer.open(sealed, { scope: workspace.scope.name, entityName: entity.name, id: sk, field });
    return true;
  } catch {
    return false;
  }
}

/** A row of figures is compared once everything is counted, unless it is being built or removed. */
function noteGroup(look: WorkspaceLook, item: Item): readonly [] {
  const kept = entityOfPartition(look, item.pk);
  const isOf = ({ pk }: { readonly pk: string }): boolean => pk === item.pk;
  const aggregate = kept?.required.aggregates.find(isOf);
  if (aggregate !== undefined) look.aggregates.noteRow(aggregate, item);
  else if (kept?.allowed.aggregates.some(isOf) !== true) return stray(look, 'aggregate', item);
  return [];
}

/** A counter is compared once everything is counted. */
function noteCounter(look: WorkspaceLook, counter: Item): void {
  look.tallies.noteCounter(counter);
  const isOfEntity = counter.pk === recordCounter('').pk || entityOfPartition(look, counter.pk) !== undefined;
  if (!isOfEntity) report(look, 'number', counter, 'belongs to no entity');
}

/**
 * A writer with a lower generation than the fence cannot write; if the fence is above the config version, no writer
 * can.
 */
function checkFence(look: WorkspaceLook, fence: Item): void {
  const { generation = 0, configVersion = 0 } = fences.row(look.workspace.scope, fence).value;
  const { version, active } = look.config;
  const isLive = active(fence.sk) !== undefined;
  const isAbove = configVersion > version || (isLive && generation > look.config.generation(fence.sk));
  if (isAbove) report(look, 'fence', fence, 'is above the config version, so that every write is refused');
}

/** The record of an id, wherever it lies. */
function claimOnRecord(
  { workspace }: WorkspaceLook,
  { entity }: IndexedEntity,
  id: string,
  judge: (record: StoredRecord | undefined) => ClaimVerdict,
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
