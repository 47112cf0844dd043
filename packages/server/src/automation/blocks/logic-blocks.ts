import type { ConfigSet } from '../../config/port.ts';
import { itemKey } from '../../config/port.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { notFound } from '../../lib/problem.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import type { RecordRuntime } from '../../records/port.ts';
import { laneOf } from '../../tenancy/port.ts';
import type { ScriptRunner } from '../scripts/script-runner.ts';
import { blockFailure } from './block-failure.ts';
import { type BlockCaller, readAs } from './caller-effects.ts';
import { checkInput } from './check-input.ts';
import type { CompiledBlock } from './effects.ts';
import { interpret } from './interpret.ts';
import { runScriptStep } from './script-step.ts';
import type { StoredBlocks } from './stored-blocks.ts';

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
  run(caller: BlockCaller, command: BlockCommand): Promise<unknown>;
}

export interface LogicBlocksDeps {
  readonly blocks: StoredBlocks;
  readonly runtime: RecordRuntime;
  readonly clock: Clock;
  readonly scripts: Pick<ScriptRunner, 'run'>;
}

export function createLogicBlocks({ blocks, runtime, clock, scripts }: LogicBlocksDeps): LogicBlocks {
  return {
    run: async (caller, { name, path, input, requestId, config }) => {
      const { workspace, user } = caller;
      const { env, orgCode } = workspace;
      const live = async (asked: string): Promise<CompiledBlock | undefined> => {
        const version = config.items.get(itemKey({ kind: 'logicblock', name: asked }));
        return version === undefined ? undefined : blocks.at({ env, orgCode, name: asked, version });
      };
      const block = await live(name);
      if (block === undefined) throw notFound();
      checkInput(block, input);
      const now = clock.now();
      const start = {
        event: { id: requestId, type: 'logicblock.call', timestamp: timestamp(now), depth: 1, path },
        user: { id: user.id, email: user.email },
        tenant: { id: workspace.tenantId, code: workspace.tenantCode },
        ...{ input, env, now },
      };
      return interpret(block, start, {
        entity: (_path, step) => readAs(runtime, caller, step),
        script: (path, step) => runScriptStep(scripts, { ...step, org: orgCode, now, seed: `${requestId} ${path}` }),
        block: async (called) => (await live(called)) ?? missing(called),
        pause: createYielder(laneOf(workspace)),
      });
    },
  };
}

function missing(name: string): never {
  throw blockFailure(`there is no logic block \`${name}\``);
}
