import { OutcomeUnknown } from '../../store/port.ts';
import type { RecordData } from '../record.ts';
import type { PlannedChange } from './planned-change.ts';
import type { WriteContext, WriteLoop } from './write-loop.ts';

/** A write of one record, as its rules see it: made (`after` only), changed (both) or removed (`before` only). */
export interface RecordWrite extends WriteContext {
  readonly before?: RecordData;
  readonly after?: RecordData;
  /** Whether what holds a removed record is made to let it go. */
  readonly force?: boolean | undefined;
}

/** What an entity demands beyond its definition. The runtime knows that there are such rules, not what they are about. */
export interface EntityRules {
  /** Changes that belong into the record's own commit. @throws Problem to refuse the write. */
  readonly changes: (write: RecordWrite) => Promise<readonly PlannedChange[]>;
  /** Called once the commit is stored, and also if that is unknown. */
  readonly committed?: (context: WriteContext) => void;
}

/** The write loop, which calls the hooks of the rules when a write is stored, and also when it may be stored. */
export function afterCommitHooks(writeLoop: WriteLoop, rules: ReadonlyMap<string, EntityRules>): WriteLoop {
  return async (context, entityNames, plan) => {
    const tell = (): void => {
      for (const name of entityNames) rules.get(name)?.committed?.(context);
    };
    try {
      const written = await writeLoop(context, entityNames, plan);
      tell();
      return written;
    } catch (error) {
      if (error instanceof OutcomeUnknown) tell();
      throw error;
    }
  };
}
