import { createYielder } from '../../lib/scheduling/event-loop.ts';
import { type CompiledEntity, fieldNamed } from '../../schema/port.ts';
import { shareKeyOf } from '../../tenancy/port.ts';
import type { AuthorizedCall } from '../caller-access.ts';
import type { ScanLeft } from '../listing/walking/record-walk.ts';
import {
  type OtherRecords,
  otherRecords,
  type Presentation,
  presentationOf,
  presentRecords,
} from '../present-records.ts';
import type { ReadableText } from '../record-policy.ts';
import type { RecordRuntime } from '../record-runtime.ts';
import { takeWritten } from '../views/show-records.ts';
import type { Expansion } from './expand-tree.ts';
import {
  type Expanded,
  type ExpandedLookup,
  type ExpandedPage,
  type ExpandedRecord,
  isExpandedList,
  loadExpansions,
  unreadPage,
} from './load-expansions.ts';

interface ExpandedReply {
  readonly presentation: Presentation;
  readonly expansions: readonly Expansion[];
  readonly items: readonly ReadableText[];
  readonly scan?: ScanLeft;
}

/**
 * The JSON texts of records by a view, each with what it is expanded by. Others are shown where the caller could get or
 * list them by a request of its own, by the view `default` of that action.
 */
export async function presentExpanded(
  runtime: Pick<RecordRuntime, 'list'>,
  call: AuthorizedCall,
  { presentation, expansions, items, scan }: ExpandedReply,
): Promise<readonly string[]> {
  const others = otherRecords(call);
  const records = await loadExpansions({ runtime, call, others, scan }, items, expansions);
  const writer = new ExpansionWriter(call, others);
  const texts = await presentRecords(call, presentation, items, others);
  await writer.showLevel(records);
  const pause = createYielder(shareKeyOf(call.workspace));
  const written: string[] = [];
  for (const [index, record] of records.entries()) {
    await pause();
    written.push(writer.write(record, { presentation, text: texts[index] ?? '{}' }));
  }
  return written;
}

/** A record by a view, before what it is expanded by. */
interface ShownAlone {
  readonly presentation: Presentation;
  readonly text: string;
}

/** Writes records with what they are expanded by, as far as there is room. */
class ExpansionWriter {
  readonly #call: AuthorizedCall;
  readonly #others: OtherRecords;
  readonly #alone = new Map<ExpandedRecord, ShownAlone>();

  constructor(call: AuthorizedCall, others: OtherRecords) {
    this.#call = call;
    this.#others = others;
  }

  /** Shows the other records: at once all of an expansion. */
  async showLevel(records: readonly ExpandedRecord[]): Promise<void> {
    const groups = new Map<Expansion, Set<ExpandedRecord>>();
    const pause = createYielder(shareKeyOf(this.#call.workspace));
    for (const { shown } of records) {
      await pause();
      for (const [expansion, value] of shown) {
        const group = groups.get(expansion) ?? new Set();
        for (const one of recordsOf(value)) group.add(one);
        groups.set(expansion, group);
      }
    }
    for (const [{ direction, entity }, group] of groups) {
      const members = [...group];
      const call = { ...this.#call, entity };
      const presentation = presentationOf(call, direction === 'forward' ? 'get' : 'list');
      const items = members.map(({ text }) => text);
      const texts = await presentRecords(call, presentation, items, this.#others);
      for (const [index, one] of members.entries()) this.#alone.set(one, { presentation, text: texts[index] ?? '{}' });
      await this.showLevel(members);
    }
  }

  write(record: ExpandedRecord, { presentation, text }: ShownAlone): string {
    const { entity, expansions, shown } = record;
    if (expansions.length === 0) return text;
    const members = expansions.flatMap((expansion) => {
      const value = shown.get(expansion);
      return value === undefined ? [] : [`${JSON.stringify(expansion.name)}:${this.#writeValue(value)}`];
    });
    const start = text === '{}' ? '{' : `${text.slice(0, -1)},`;
    return `${start}"${expandMember(entity, presentation)}":{${members.join(',')}}}`;
  }

  #writeValue(value: Expanded): string {
    if (isExpandedList(value)) return this.#writeList(value);
    return 'items' in value ? this.#writePage(value) : this.#writeLookup(value);
  }

  /** A list that does not fit, though each element may be shown by its id alone, is `null`. */
  #writeList(list: readonly ExpandedLookup[]): string {
    const idsLength = list.reduce((sum, { id }) => sum + id.length + idMemberLength, 0);
    if (!takeWritten(this.#others.room, idsLength)) return 'null';
    return `[${list.map((one) => this.#writeLookup(one)).join(',')}]`;
  }

  #writeLookup(value: ExpandedLookup): string {
    const { id, record } = value;
    if (record === undefined) return 'null';
    return (record === 'unread' ? undefined : this.#writeRecord(record)) ?? JSON.stringify({ id });
  }

  /** A page that does not fit is shown like a page that was not read: records that are left out would be missed. */
  #writePage({ items, nexttoken, isPartial, partialReason }: ExpandedPage): string {
    const texts: string[] = [];
    for (const item of items) {
      const text = this.#writeRecord(item);
      if (text === undefined) return this.#writePage(unreadPage);
      texts.push(text);
    }
    const reason = partialReason === undefined ? '' : `,"partial_reason":"${partialReason}"`;
    const partial = isPartial ? `,"partial":true${reason}` : '';
    return `{"items":[${texts.join(',')}],"nexttoken":${JSON.stringify(nexttoken)}${partial}}`;
  }

  /** Undefined where there is no room for it. */
  #writeRecord(record: ExpandedRecord): string | undefined {
    const alone = this.#alone.get(record);
    if (alone === undefined || !takeWritten(this.#others.room, alone.text.length)) return undefined;
    return this.write(record, alone);
  }
}

/** The length of the text around an id where nothing else is shown of its record. */
const idMemberLength = '{"id":""},'.length;

function recordsOf(value: Expanded): readonly ExpandedRecord[] {
  if (isExpandedList(value)) return value.flatMap(recordsOf);
  if ('items' in value) return value.items;
  return value.record === undefined || value.record === 'unread' ? [] : [value.record];
}

/** The member of a record that holds what it is expanded by; a field or member of a view that has the name keeps it. */
function expandMember(
  entity: Pick<CompiledEntity, 'fields' | 'aliases'>,
  { projection }: Pick<Presentation, 'projection'>,
): string {
  const isTaken =
    fieldNamed(entity, 'expand') !== undefined ||
    (projection !== 'stored' && projection.some(({ as }) => as === 'expand'));
  return isTaken ? '$expand' : 'expand';
}
