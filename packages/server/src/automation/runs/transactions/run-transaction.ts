import type { IdSource } from '../../../lib/ids.ts';
import { Problem } from '../../../lib/problem.ts';
import type { RecordRuntime } from '../../../records/port.ts';
import type { CompiledBlock, StartValues } from '../../blocks/effects.ts';
import { interpret } from '../../blocks/interpret.ts';
import type { ScriptRunner } from '../../scripts/script-runner.ts';
import type { Creating } from '../entity-steps.ts';
import type { RunJournal } from '../journal.ts';
import type { Run } from '../run-rows.ts';
import { TransactionEffects, type TransactionEffectsDeps } from './transaction-effects.ts';
import type { TransactionQueue } from './transaction-queue.ts';

export interface RunTransactionDeps extends Pick<TransactionEffectsDeps, 'clock' | 'workspace' | 'place' | 'block'> {
  readonly runtime: RecordRuntime;
  readonly newId: IdSource;
  readonly scripts: Pick<ScriptRunner, 'run'>;
  readonly transactions: TransactionQueue;
  readonly journal: RunJournal;
  /** The run as it is when it is over. @throws Problem where what it returns is not kept. */
  readonly over: (returns: unknown) => Run;
}

/**
 * Runs a block whose steps take effect together, or not at all: again from its first step while other commits come in
 * between. It does the same again with the same records: its clock, its chance and the ids that it gives stay.
 * @param attempted hears of each attempt as it begins.
 * @throws Problem, LeaseLost, TooLarge.
 */
export function runTransaction(
  deps: RunTransactionDeps,
  { block, start }: { readonly block: CompiledBlock; readonly start: StartValues },
  attempted: (effects: TransactionEffects) => void,
): Promise<unknown> {
  const { runtime, workspace, journal } = deps;
  const created = new Map<string, Creating>();
  return deps.transactions.run(`${workspace.env} ${workspace.scope.name}`, async () => {
    const transaction = runtime.transaction(workspace);
    const effects = new TransactionEffects({ ...deps, transaction, created });
    attempted(effects);
    const doSteps = async () => {
      const returns = await interpret(block, start, effects);
      const isKept = transaction.hasWritten || journal.isStored;
      return { returns, ended: isKept ? deps.over(returns) : undefined };
    };
    try {
      const { returns, ended } = await doSteps().catch(async (error: unknown) => {
        // What was refused may have been refused for what other commits have changed meanwhile.
        if (error instanceof Problem) await transaction.assertReads();
        throw error;
      });
      const { steps } = effects;
      if (ended !== undefined && transaction.hasWritten)
        await journal.effectAtEnd({ ended, steps }, (along) => transaction.commit(() => along([])));
      else {
        await transaction.assertReads();
        if (ended !== undefined) await journal.end(ended, deps.clock.now(), steps);
      }
      return returns;
    } finally {
      effects.release();
    }
  });
}
