import type { InputError } from '@freehold/contract/problem';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import { type CompiledEntity, heldIds, isLookupList, lookupOf } from '../../schema/port.ts';
import type { Item, Key } from '../../store/port.ts';
import { laneOf, type Workspace } from '../../tenancy/port.ts';
import type { AuthorizedCall } from '../caller-access.ts';
import { mayBeId } from '../listing/find-record.ts';
import { dataOf, type RecordData } from '../record.ts';
import { recordPlace } from '../record-keys.ts';
import { asDefined, grantOn, namesIn } from '../writing/checks/record-checks.ts';
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

/** What a caller sent: the ids in it must be of records that are the caller's to get. */
export interface SentLookups {
  /** With the access of the caller, unless the platform writes. */
  readonly call: Pick<RecordCall, 'actor' | 'workspace'> & Partial<Pick<AuthorizedCall, 'access'>>;
  readonly body: unknown;
  /** The record with what was sent, before the platform or an event has changed more. */
  readonly record: RecordData;
  /** Of a record that there is: whether the caller may learn what a field holds. */
  readonly mayCompare?: (field: string) => boolean;
}

const nothing: LookupChecks = { errors: [], changes: [] };

/**
 * That the records exist whose ids a write puts into lookup fields, or that its own commit makes them. Ids that stay as
 * they are were checked before. A record that the caller may not get is refused as one that is not there: the answer would
 * tell that it is. Of one that the commit makes the caller knows.
 * @param sent left out where no caller has sent anything.
 */
export async function checkLookups(
  call: LookupCall,
  before: RecordData | undefined,
  after: RecordData,
  sent?: SentLookups,
): Promise<LookupChecks> {
  const wanted = await wantedBy(call, { before, after, sent });
  if (wanted.length === 0) return nothing;
  const items = await call.workspace.scope.get(wanted.flatMap(({ key }) => key ?? []));
  const found = new Map(items.flatMap((item) => (item === undefined ? [] : [[keyText(item), item]])));
  const isOwn = ({ id, entityName }: Wanted): boolean =>
    (id === before?.id && entityName === call.entity.name) || call.made?.has(placeOfRecord(entityName, id)) === true;
  const mayRefer = sent === undefined ? undefined : referringOf(call.entity, sent);
  const errors: InputError[] = [];
  const present = new Map<string, Key>();
  for (const one of wanted) {
    if (isOwn(one)) continue;
    const item = one.key && found.get(keyText(one.key));
    if (item === undefined || (await mayRefer?.(one, item)) === false) errors.push(unknownReference(one));
    else present.set(keyText(item), { pk: item.pk, sk: item.sk });
  }
  return {
    errors,
    changes: [...present.values()].map((key) => unconditional({ kind: 'check', ...key, if: 'present' })),
  };
}

interface Wanted {
  readonly pointer: string;
  readonly field: string;
  readonly id: string;
  readonly entityName: string;
  /** Undefined where there is no such entity. */
  readonly target: CompiledEntity | undefined;
  readonly key: Key | undefined;
}

interface ComparedStates {
  readonly before: RecordData | undefined;
  readonly after: RecordData;
  readonly sent: SentLookups | undefined;
}

/** The ids that are new in a record, and those that are sent for a field that the sender may not read: they are guesses. */
async function wantedBy(call: LookupCall, { before, after, sent }: ComparedStates): Promise<readonly Wanted[]> {
  const guessed = sent?.mayCompare === undefined ? [] : namesIn(sent.body).filter((name) => !sent.mayCompare?.(name));
  const wanted: Wanted[] = [];
  for (const { name, definition } of call.entity.fields.values()) {
    const lookup = lookupOf(definition);
    if (lookup === undefined) continue;
    const held = new Set(before === undefined || guessed.includes(name) ? [] : heldIds(call.entity, name, before));
    const added = [...heldIds(call.entity, name, after).entries()].filter(([, id]) => !held.has(id));
    if (added.length === 0) continue;
    const target = await call.config.entity(lookup.entity);
    for (const [index, id] of added) {
      const pointer = isLookupList(definition) ? `/${name}/${index}` : `/${name}`;
      wanted.push({ pointer, field: name, id, entityName: lookup.entity, target, key: placeOf(call, target, id) });
    }
  }
  return wanted;
}

/** Whether the caller may get what he refers to. His own `user` record is his to name, and what he has not sent is not his. */
function referringOf(
  entity: CompiledEntity,
  { call, body, record }: SentLookups,
): ((one: Wanted, item: Item) => Promise<boolean>) | undefined {
  const { access, actor, workspace } = call;
  if (access === undefined) return undefined;
  const named = new Set(namesIn(body));
  const pause = createYielder(laneOf(workspace));
  const isSent = ({ field, id }: Wanted): boolean => named.has(field) && heldIds(entity, field, record).includes(id);
  return async (one, item) => {
    const { target, id } = one;
    if (target === undefined || !isSent(one) || (target.name === 'user' && id === actor.userId)) return true;
    await pause();
    const rows = access.rows({ verb: 'get', entity: target, id });
    if (rows === undefined) return true;
    const data = dataOf(target, item);
    if (!rows.isNone && grantOn(rows, target, data) !== undefined) return true;
    // Keeps the denial, so that a builder finds the reason; the caller gets the answer of a missing record.
    rows.missing(asDefined(target, data));
    return false;
  };
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
