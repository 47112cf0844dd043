import type { Derived, StoredRecord } from '../../records/port.ts';
import { directKey, recordPlace, sameKey } from '../../records/port.ts';
import { heldIds, lookupOf } from '../../schema/port.ts';
import type { Item } from '../../store/port.ts';
import type { Claim } from './claims.ts';
import { type KeptEntity, requiredBy } from './kept-entity.ts';
import { drift, storedRecord, type WorkspaceLook } from './look.ts';

/** What a record asks to lie beside it. What lies there without being asked for is found where it lies. */
export async function claimsOfRecord(look: WorkspaceLook, item: Item): Promise<readonly Claim[]> {
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
  { entity }: KeptEntity,
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
