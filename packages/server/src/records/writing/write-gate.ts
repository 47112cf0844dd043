import { type Change, OutcomeUnknown } from '../../store/port.ts';
import type { CountBound, Workspace, WritePass, WriteToAdmit } from '../../tenancy/port.ts';
import { recordCounter } from '../indexes/derive.ts';
import { recordsAdded } from './record-changes.ts';
import type { WriteLoop, WritePlan } from './write-loop.ts';

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

/** How many policies a workspace may have; undefined is any number. */
export type PolicyBound = (workspace: Workspace) => Promise<CountBound | undefined>;

const policyCounter = recordCounter('aclpolicy');

/**
 * The write loop, which holds each commit that makes policies to the bound of their workspace: the counter that every
 * write of one moves in its own commit is not moved past it, whichever node writes. What is past it already stays.
 */
export function boundedLoop(writeLoop: WriteLoop, bound: PolicyBound): WriteLoop {
  return (context, entityNames, makePlan) =>
    writeLoop(context, entityNames, async (config) => boundPlan(context.workspace, await makePlan(config), bound));
}

async function boundPlan<Plan extends WritePlan>(workspace: Workspace, plan: Plan, bound: PolicyBound): Promise<Plan> {
  const added = plan.changes.reduce((sum, { change }) => sum + (movesPolicies(change) ? change.by : 0), 0);
  if (added <= 0) return plan;
  const limit = await bound(workspace);
  if (limit === undefined) return plan;
  const [counter] = await workspace.scope.get([policyCounter]);
  const used = Number(counter?.value ?? 0);
  if (used + added > limit.max) throw await limit.exceeded(used, used + added);
  // A concurrent creation of policies moves the counter: then this is planned again.
  const changes = plan.changes.map((planned) =>
    movesPolicies(planned.change)
      ? { change: { ...planned.change, max: limit.max }, onConflict: 'replan' as const }
      : planned,
  );
  return { ...plan, changes };
}

function movesPolicies(change: Change): change is Extract<Change, { kind: 'add' }> {
  return change.kind === 'add' && change.pk === policyCounter.pk && change.sk === policyCounter.sk;
}
