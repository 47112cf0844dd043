/** Who calls the routes that run logic blocks, as their handlers get them. */
import type { ConfigSet } from '../config/port.ts';
import type { EachCaller } from '../records/port.ts';
import type { BlockCaller } from './blocks/caller-effects.ts';
import type { RunUser } from './runs/run-rows.ts';

declare module '../api/route.ts' {
  interface Callers {
    /** Runs a logic block, which a policy allows by `run` and the name of the block. */
    readonly run: RunCaller;
  }
}

/** A caller in whose name a block does several things, each decided as the request would be that does it alone. */
export interface RunCaller extends EachCaller, BlockCaller {
  /** The same for work that outlives the request. */
  readonly who: RunUser;
  /** That of the decision. */
  readonly config: ConfigSet;
}
