import { OutcomeUnknown } from '../../store/port.ts';
import type { EntityRules } from './entity-rules.ts';
import type { WriteLoop } from './write-loop.ts';

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
