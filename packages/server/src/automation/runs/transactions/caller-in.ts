import { type RecordTransaction, TooManyReads } from '../../../records/port.ts';
import { blockFailure } from '../../blocks/block-failure.ts';
import type { BlockCaller } from '../../blocks/caller-effects.ts';

/** The same caller, whose calls are parts of the transaction. */
export function callerIn(transaction: Pick<RecordTransaction, 'at'>, caller: BlockCaller): BlockCaller {
  return {
    workspace: caller.workspace,
    actor: caller.actor,
    user: caller.user,
    entity: (name) => caller.entity(name),
    authorize: async (request) => transaction.at(await caller.authorize(request)),
    asApp: (access) => callerIn(transaction, caller.asApp(access)),
  };
}

/** @throws Problem `block_failed` in the place of TooManyReads. */
export function explainReads(error: unknown): never {
  if (!(error instanceof TooManyReads)) throw error;
  throw blockFailure(`a transaction reads at most ${error.readsMax} records and index entries`, {}, error);
}
