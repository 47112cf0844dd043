import type { Clock } from '../../lib/clock.ts';
import type { IdSource } from '../../lib/ids.ts';
import { OutcomeUnknown } from '../../store/port.ts';
import type { Cursors } from '../listing/cursor.ts';
import type { RecordData } from '../record.ts';
import type { Numbering } from './numbering.ts';
import type { PlannedChange } from './planned-change.ts';
import type { BeforeEvents, RecordEvents } from './record-events.ts';
import type { Sealer } from './sealed-values.ts';
import type { PolicyBound, WriteContext, WriteGate, WriteLoop } from './write-loop.ts';

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

/** A write of one record, as its rules see it: made (`after` only), changed (both) or removed (`before` only). */
export interface RecordWrite extends WriteContext {
  readonly before?: RecordData;
  readonly after?: RecordData;
  /** Whether what holds a removed record is made to let it go. */
  readonly force?: boolean | undefined;
}

/** An entity's demands beyond its definition. The runtime knows that there are such rules, not what they are about. */
export interface EntityRules {
  /** Changes that belong into the record's own commit. @throws Problem to refuse the write. */
  readonly changes: (write: RecordWrite) => Promise<readonly PlannedChange[]>;
  /** Called once the commit is stored, and also if that is unknown. */
  readonly committed?: (context: WriteContext) => void;
}

/** The write loop, which calls the hooks of the rules when a write is stored, and also when it may be stored. */
export function afterCommitHooks(writeLoop: WriteLoop, rules: ReadonlyMap<string, EntityRules>): WriteLoop {
  return async (context, entityNames, plan) => {
    const notify = (): void => {
      for (const name of entityNames) rules.get(name)?.committed?.(context);
    };
    try {
      const written = await writeLoop(context, entityNames, plan);
      notify();
      return written;
    } catch (error) {
      if (error instanceof OutcomeUnknown) notify();
      throw error;
    }
  };
}
