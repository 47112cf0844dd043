/** What expressions of events know of a write. */
import type { TemplateValues } from '../../expressions/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { asDefined, type EventWrite, type RecordData } from '../../records/port.ts';

/** The values of a template by its record. */
export type WriteValues = Omit<TemplateValues, 'steps'>;

export type WriteOp = 'create' | 'update' | 'delete';

export function opOf({ before, after }: EventWrite): WriteOp {
  return before === undefined ? 'create' : after === undefined ? 'delete' : 'update';
}

/** @param record as the write leaves it; of a removal as it stands. @param now milliseconds since the epoch. */
export function writeValues(write: EventWrite, record: RecordData, now: number): WriteValues {
  const { call, before } = write;
  const { workspace, actor, entity, origin } = call;
  const { email } = actor.claims;
  const type = `${entity.name}.${opOf(write)}`;
  return {
    event: { type, timestamp: timestamp(now), depth: (origin?.depth ?? 0) + 1, path: '' },
    record: asDefined(entity, record),
    before: before === undefined ? undefined : asDefined(entity, before.data),
    user: { id: actor.userId, ...(typeof email === 'string' ? { email } : {}) },
    tenant: { id: workspace.tenantId, code: workspace.tenantCode },
    ...{ input: {}, env: workspace.env, now },
  };
}
