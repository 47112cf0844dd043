import type { InputError } from '@freehold/contract/problem';
import { type CompiledEntity, heldIds, isLookupList, lookupOf } from '../../schema/port.ts';
import type { Key } from '../../store/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { mayBeId } from '../listing/find-record.ts';
import type { RecordData } from '../record.ts';
import { recordPlace } from '../record-keys.ts';
import { type PlannedChange, unconditional } from '../writing/planned-change.ts';
import { placeOfRecord, type RecordCall } from '../writing/write-loop.ts';

export interface LookupChecks {
  readonly errors: readonly InputError[];
  /** Hold the commit to it that what was found is still there. */
  readonly changes: readonly PlannedChange[];
}

/** What of a call the records depend on that it refers to. */
interface LookupCall extends Pick<RecordCall, 'config' | 'entity' | 'made'> {
  readonly workspace: Pick<Workspace, 'orgCode' | 'tenantCode' | 'scope'>;
}

const nothing: LookupChecks = { errors: [], changes: [] };

/**
 * That the records exist whose ids a write puts into lookup fields, or that its own commit makes them. Ids that stay as
 * they are were checked before.
 */
export async function checkLookups(
  call: LookupCall,
  before: RecordData | undefined,
  after: RecordData,
): Promise<LookupChecks> {
  const wanted: Wanted[] = [];
  for (const { name, definition } of call.entity.fields.values()) {
    const lookup = lookupOf(definition);
    if (lookup === undefined) continue;
    const held = new Set(before === undefined ? [] : heldIds(call.entity, name, before));
    const added = [...heldIds(call.entity, name, after).entries()].filter(([, id]) => !held.has(id));
    if (added.length === 0) continue;
    const target = await call.config.entity(lookup.entity);
    for (const [index, id] of added) {
      const pointer = isLookupList(definition) ? `/${name}/${index}` : `/${name}`;
      wanted.push({ pointer, field: name, id, entityName: lookup.entity, key: placeOf(call, target, id) });
    }
  }
  if (wanted.length === 0) return nothing;
  const items = await call.workspace.scope.get(wanted.flatMap(({ key }) => key ?? []));
  const found = new Set(items.flatMap((item) => (item === undefined ? [] : [keyText(item)])));
  const isOwn = ({ id, entityName }: Wanted): boolean =>
    (id === before?.id && entityName === call.entity.name) || call.made?.has(placeOfRecord(entityName, id)) === true;
  const isFound = (one: Wanted): boolean => isOwn(one) || (one.key !== undefined && found.has(keyText(one.key)));
  const present = new Map(
    wanted.flatMap((one) => (one.key === undefined || isOwn(one) ? [] : [[keyText(one.key), one.key]])),
  );
  return {
    errors: wanted.filter((one) => !isFound(one)).map(unknownReference),
    changes: [...present.values()].map((key) => unconditional({ kind: 'check', ...key, if: 'present' })),
  };
}

interface Wanted {
  readonly pointer: string;
  readonly field: string;
  readonly id: string;
  readonly entityName: string;
  readonly key: Key | undefined;
}

function placeOf(call: LookupCall, target: CompiledEntity | undefined, id: string): Key | undefined {
  if (target === undefined || !mayBeId(id)) return undefined;
  return recordPlace(target, call.workspace, id);
}

function keyText({ pk, sk }: Key): string {
  return `${pk}\0${sk}`;
}

function unknownReference({ pointer, field, id, entityName }: Wanted): InputError {
  const message = `field \`${field}\`: there is no \`${entityName}\` with the id \`${id.slice(0, 64)}\` in this workspace`;
  return { pointer, code: 'unknown_reference', message };
}
