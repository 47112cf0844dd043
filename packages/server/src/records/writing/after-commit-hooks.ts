import { OutcomeUnknown } from '../../store/port.ts';
import type { EntityRules } from './entity-rules.ts';
import type { WriteLoop } from './write-loop.ts';

/** The write loop, which tells the rules of what was written when it stands, and also when it may stand. */
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
