import type { Caller, CallOptions } from './caller.ts';

export interface LogicBlockOptions extends CallOptions {
  /** What the block reads as `event.path`. */
  readonly path?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

export type LogicBlockResult =
  /** The result of the block; `null` if it returns nothing. */
  | { readonly state: 'done'; readonly returns: unknown }
  /** The run goes on without the caller: `GET /runs/{id}` shows it. */
  | { readonly state: 'waiting'; readonly runId: string };

/** @throws FreeholdError, also if a step of the block is refused. */
export async function runBlock(
  caller: Caller,
  { name, input }: { readonly name: string; readonly input: unknown },
  { path, ...options }: LogicBlockOptions = {},
): Promise<LogicBlockResult> {
  const address = ['logicblocks', name, ...(path === undefined ? [] : [path])].map(encodeURIComponent).join('/');
  const { status, body } = await caller.call('POST', `/${address}`, { ...options, body: input });
  return status === 202
    ? { state: 'waiting', runId: (body as { readonly run: string }).run }
    : { state: 'done', returns: body };
}
