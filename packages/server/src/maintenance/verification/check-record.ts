import type { StoredRecord } from '../../records/port.ts';
import { directKey, recordPlace, sameKey, sentinelKey } from '../../records/port.ts';
import type { Item } from '../../store/port.ts';
import type { Claim } from './claims.ts';
import { type KeptEntity, requiredEntries } from './kept-entity.ts';
import { drift, storedRecord, type WorkspaceLook } from './look.ts';

/** What a record asks to lie beside it. What lies there without being asked for is found where it lies. */
export async function claimsOfRecord(look: WorkspaceLook, item: Item): Promise<readonly Claim[]> {
  const kept = look.ownerOf(item);
  const record = kept === undefined ? undefined : storedRecord(item);
  if (kept === undefined || record === undefined) {
    const problem = kept === undefined ? 'is not the key of any entity’s record' : 'holds no record';
    look.findings.add(drift(look.workspace.scope, 'record', item, problem));
    return [];
  }
  look.findings.count('records');
  look.tallies.noteRecord(kept, record.data);
  const place = directKey(kept.entity, look.workspace, record.data.id);
  if (place !== undefined && !sameKey(place, record.key))
    look.findings.add(drift(look.workspace.scope, 'record', item, `is not the key of its id ${record.data.id}`));
  return [
    ...entryClaims(look, kept, record),
    ...sentinelClaims(look, kept, record),
    ...(await lookupClaims(look, kept, record)),
  ];
}

function entryClaims({ workspace }: WorkspaceLook, kept: KeptEntity, { key, data }: StoredRecord): readonly Claim[] {
  return requiredEntries(kept, data).map((entry) => ({
    key: entry,
    judge: (item) => {
      if (item?.target !== undefined && sameKey(item.target, key)) return undefined;
      const problem = item === undefined ? 'is missing' : 'points elsewhere';
      return drift(workspace.scope, 'index', entry, `${problem}: the record ${data.id} requires it`);
    },
  }));
}

function sentinelClaims(
  { workspace }: WorkspaceLook,
  { required }: KeptEntity,
  { data }: StoredRecord,
): readonly Claim[] {
  return required.uniques.flatMap((unique) => {
    const key = sentinelKey(unique, data);
    if (key === undefined) return [];
    const judge: Claim['judge'] = (item) => {
      if (item?.value === data.id) return undefined;
      const problem = item === undefined ? 'is missing' : `is held by ${item.value}`;
      return drift(workspace.scope, 'unique', key, `${problem}: the record ${data.id} has these values`);
    };
    return [{ key, judge }];
  });
}

async function lookupClaims(
  { workspace, config }: WorkspaceLook,
  { entity }: KeptEntity,
  { key, data }: StoredRecord,
): Promise<readonly Claim[]> {
  const claims: Claim[] = [];
  for (const { name, definition } of entity.fields.values()) {
    const id = data[name];
    if (definition.lookup === undefined || id === undefined) continue;
    const target = await config.entity(definition.lookup.entity);
    if (target === undefined) continue;
    const dangling = drift(
      workspace.scope,
      'dangling',
      key,
      `\`${name}\` names the ${target.name} ${id}, which does not exist`,
    );
    claims.push({
      key: recordPlace(target, workspace, String(id)),
      judge: (item) => (item === undefined ? dangling : undefined),
    });
  }
  return claims;
}
