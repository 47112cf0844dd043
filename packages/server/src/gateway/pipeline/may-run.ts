import { itemKey } from '../../config/port.ts';
import { runAction } from '../../iam/port.ts';
import { notFound } from '../../lib/problem.ts';
import type { AskedRun } from '../../records/port.ts';
import { type AuthorizationRequest, type AuthorizeDeps, authorizeAction } from './authorize.ts';

/**
 * Decides as a call of the block would be decided: by the policies first, so that a caller who may not run a block does
 * not learn whether it is there.
 * @throws Problem `workspace_required`, `access_denied`, `not_found`.
 */
export async function mayRun(
  deps: AuthorizeDeps,
  asking: AuthorizationRequest,
  { name, path, input }: AskedRun,
): Promise<'allowed' | 'undecided'> {
  const { context, isOpen, assertBodyAllowed } = await authorizeAction(deps, asking, {
    action: runAction({ name }),
    method: 'POST',
    resource: `/logicblocks/${name}${path === undefined ? '' : `/${path}`}`,
    params: path === undefined ? { name } : { name, path },
    query: '',
    takesBody: true,
  });
  if (input !== undefined) assertBodyAllowed(input);
  if (!context.config.items.has(itemKey({ kind: 'logicblock', name }))) throw notFound();
  return isOpen && input === undefined ? 'undecided' : 'allowed';
}
