import { OutcomeUnknown } from '../../store/port.ts';
import type { Workspace, WritePass, WriteToAdmit } from '../../tenancy/port.ts';
import { recordsAdded } from './record-changes.ts';
import type { WriteLoop } from './write-loop.ts';

/** Holds writes to what the org may use, whatever that is. The runtime only says how many records a write adds. */
export interface WriteGate {
  /** Asked right before the commit. @throws Problem to refuse the write. */
  admit(workspace: Workspace, write: WriteToAdmit): WritePass | Promise<WritePass>;
}

/** The write loop, which asks the gate for each attempt that it makes. */
export function gatedLoop(writeLoop: WriteLoop, gate: WriteGate): WriteLoop {
  return async (context, entityNames, makePlan) => {
    let pass: WritePass | undefined;
    const giveBack = (): void => {
      pass?.refused();
      pass = undefined;
    };
    try {
      const done = await writeLoop(context, entityNames, async (config) => {
        giveBack();
        const plan = await makePlan(config);
        const records = recordsAdded(plan.changes);
        pass = await gate.admit(context.workspace, { records, isRemoval: plan.isRemoval === true });
        return plan;
      });
      pass?.written();
      return done;
    } catch (error) {
      if (error instanceof OutcomeUnknown) pass?.unknown();
      else giveBack();
      throw error;
    }
  };
}
