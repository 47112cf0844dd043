import type { ConfigSet } from '../../config/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import type { EventOrigin } from '../../records/port.ts';
import { liveVersion } from '../runs/pinned-blocks.ts';
import { isOver, type RunUser } from '../runs/run-rows.ts';
import { callBlock, type RunsDeps } from '../runs/runs.ts';
import type { BlockCaller } from './caller-effects.ts';
import { checkInput } from './check-input.ts';

/** What a block is asked to do. */
export interface BlockCommand {
  readonly name: string;
  /** What stands in the path after the name; empty where nothing does. */
  readonly path: string;
  readonly input: unknown;
  readonly requestId: string;
  /** The blocks of this version are run, to the end. */
  readonly config: ConfigSet;
}

export interface LogicBlocks {
  /**
   * Runs a block in the name of its caller, and gives what it returns.
   * @throws Problem `not_found`, `validation_failed`, `unknown_field`, `block_failed`; that of the step that is refused.
   */
  run(caller: BlockCaller & { readonly who: RunUser }, command: BlockCommand): Promise<BlockOutcome>;
}

/** What became of a call: what the block returns, the run that waits, or why a run ended that had done something. */
export type BlockOutcome = { readonly returns: unknown } | { readonly run: string } | { readonly refusal: Problem };

export function createLogicBlocks(deps: RunsDeps): LogicBlocks {
  return {
    run: async (caller, { name, path, input, requestId, config }) => {
      const { workspace, who } = caller;
      const { env, orgCode } = workspace;
      const version = liveVersion(config, name);
      if (version === undefined) throw notFound();
      const block = await deps.blocks.at({ env, orgCode, name, version });
      if (block === undefined) throw notFound();
      checkInput(block, input);
      const at = timestamp(deps.clock.now());
      const event = { id: requestId, type: 'logicblock.call', timestamp: at, depth: 1, path };
      const trigger = { kind: 'call', id: requestId } as const;
      const asked = { workspace, config, block: name, trigger, input, given: { event }, origin: none, user: who };
      const { run, returns, refusal, isStored } = await callBlock(deps, asked, caller);
      if (refusal !== undefined && !isStored) throw refusal;
      if (refusal !== undefined) return { refusal: ofRun(run.id, refusal) };
      return isOver(run) || !isStored ? { returns } : { run: run.id };
    },
  };
}

const none: EventOrigin = { depth: 0, chain: [] };

function ofRun(run: string, { code, message, details, cause }: Problem): Problem {
  return new Problem(code, message, { ...details, run }, cause);
}
