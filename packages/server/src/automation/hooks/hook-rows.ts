import { createHash } from 'node:crypto';
import { json, table } from '../../store/table.ts';

/** What an environment of an org says of a hook. It belongs to no configuration, and is never promoted. */
export interface HookRow {
  /** In which workspace its runs begin; left out, in `main`. */
  readonly tenant_code?: string;
  readonly paused?: true;
}

/** By the name of the block, in the scope of the org. */
export const hookRows = table((block: string) => ({ pk: 'hook', sk: block }), json<HookRow>('hook', {}));

/** In the scope of the workspace: the run that a message began. */
export const seenMessages = table(
  ({ block, id }: { readonly block: string; readonly id: string }) => ({
    pk: `hook-seen;${block}`,
    sk: createHash('sha256').update(id).digest('base64url'),
  }),
  json<{ readonly run: string }>('message of a hook', { run: 'string' }),
);
