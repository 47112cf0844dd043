import type { logicBlocksApi } from '@freehold/contract/app/logicblocks';
import type { ReplyOf } from '@freehold/contract/route';
import { notFound } from '../../lib/problem.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { isOver, type OpenRunRows, type RunUser } from './run-rows.ts';

export type OwnRun = ReplyOf<typeof logicBlocksApi.readOwnRun>;

/**
 * A run, for the caller who began it by a call. What it gave is shown as the call would have been answered, once it is
 * closed: without values of encrypted fields. A run that an event began may have seen what its user may not read, so it
 * is shown to builders alone.
 * @throws Problem `not_found`, also for a run of another caller.
 */
export async function ownRun(
  runRows: OpenRunRows,
  { scope }: Workspace,
  { id, who }: { readonly id: string; readonly who: RunUser },
): Promise<OwnRun> {
  const row = await runRows(scope).read(id);
  if (row === undefined || row.value.trigger.kind !== 'call' || !isSame(row.value.user, who)) throw notFound();
  const { block, state, started_at, ended_at, returns, error } = row.value;
  const isClosed = isOver(row.value) && row.due !== undefined;
  return {
    ...{ id, block, state, started_at },
    ...(ended_at === undefined ? {} : { ended_at }),
    ...(isClosed && state === 'done' ? { returns: returns ?? null } : {}),
    ...(error === undefined ? {} : { error: isClosed ? error : { code: error.code } }),
  };
}

/** A builder who acts for a user has calls of his own. */
function isSame(user: RunUser, who: RunUser): boolean {
  return user.kind !== 'app' && user.kind === who.kind && user.id === who.id && user.act === who.act;
}
