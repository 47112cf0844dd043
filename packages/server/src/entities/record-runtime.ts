/** The one runtime that serves the records of every entity. */
import type { Clock } from '../lib/clock.ts';
import type { IdSource } from '../lib/ids.ts';
import { serialLanes } from '../lib/serial-lanes.ts';
import type { Item } from '../store/port.ts';
import { countRecords } from './count-records.ts';
import { createRecord } from './create-record.ts';
import type { Cursors } from './cursor.ts';
import { type DeleteInput, deleteRecord } from './delete-record.ts';
import type { EntityRules } from './entity-rules.ts';
import { findItem } from './find-record.ts';
import type { ListQuery } from './list-query.ts';
import { listRecords, type Page } from './list-records.ts';
import type { Numbering } from './numbering.ts';
import type { StoredRecord } from './record.ts';
import type { Sealer } from './sealed-values.ts';
import { type UpdateInput, updateRecord } from './update-record.ts';
import type { RecordCall, WriteLoop } from './write-loop.ts';

export interface RuntimeParts {
  readonly clock: Clock;
  readonly newId: IdSource;
  readonly cursors: Cursors;
  readonly writeLoop: WriteLoop;
  readonly numbering: Numbering;
  readonly sealer: Sealer;
  /** By entity name: what system entities demand beyond their definitions. */
  readonly rules: ReadonlyMap<string, EntityRules>;
}

export interface RecordRuntime {
  create(call: RecordCall, body: unknown): Promise<StoredRecord>;
  get(call: RecordCall, id: string): Promise<Item | undefined>;
  update(call: RecordCall, input: UpdateInput): Promise<StoredRecord>;
  remove(call: RecordCall, input: DeleteInput): Promise<void>;
  list(call: RecordCall, query: ListQuery): Promise<Page>;
  count(call: RecordCall, query: ListQuery): Promise<{ readonly count: number; readonly nexttoken?: string }>;
}

/**
 * Writes that would overtake one another take turns within this process: those of one record, and those of entities
 * with rules in their workspace, since they move what the rules compare and swap.
 */
export function createRecordRuntime(parts: RuntimeParts): RecordRuntime {
  const inTurn = serialLanes<string>();
  const laneOf = (call: RecordCall, id: string): string =>
    JSON.stringify([call.workspace.env, call.workspace.scope.name, ...(isRuled(call) ? [] : [call.entity.name, id])]);
  const isRuled = ({ entity }: RecordCall): boolean => parts.rules.has(entity.name);
  return {
    create: (call, body) => {
      const work = (): Promise<StoredRecord> => createRecord(parts, call, body);
      return isRuled(call) ? inTurn(laneOf(call, ''), work) : work();
    },
    get: (call, id) => findItem(call, id),
    update: (call, input) => inTurn(laneOf(call, input.id), () => updateRecord(parts, call, input)),
    remove: (call, input) => inTurn(laneOf(call, input.id), () => deleteRecord(parts, call, input)),
    list: (call, query) => listRecords(parts.cursors, call, query),
    count: (call, query) => countRecords(parts.cursors, call, query),
  };
}
