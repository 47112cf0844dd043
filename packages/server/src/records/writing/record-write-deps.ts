import type { Clock } from '../../lib/clock.ts';
import type { IdSource } from '../../lib/ids.ts';
import type { Cursors } from '../listing/cursor.ts';
import type { EntityRules } from './entity-rules.ts';
import type { BeforeEvents } from './events/before-events.ts';
import type { RecordEvents } from './events/record-events.ts';
import type { Numbering } from './numbering.ts';
import type { Sealer } from './sealed-values.ts';
import type { PolicyBound, WriteGate } from './write-gate.ts';
import type { WriteLoop } from './write-loop.ts';

/** What writing records is built on. */
export interface RecordWriteDeps {
  readonly clock: Clock;
  readonly newId: IdSource;
  readonly cursors: Cursors;
  readonly writeLoop: WriteLoop;
  readonly numbering: Numbering;
  readonly sealer: Sealer;
  /** By entity name: what system entities demand beyond their definitions. */
  readonly rules: ReadonlyMap<string, EntityRules>;
  /** Left out, every org may use as much as it likes. */
  readonly gate?: WriteGate | undefined;
  readonly policyBound?: PolicyBound | undefined;
  /** Left out, nothing waits for writes. */
  readonly events?: RecordEvents | undefined;
  /** Left out, nothing is done before writes. */
  readonly before?: BeforeEvents | undefined;
}
