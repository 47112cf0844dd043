import type { Clock } from '../../../lib/clock.ts';
import { repeat } from '../../../lib/scheduling/repeat.ts';
import type { Scope } from '../../../store/port.ts';
import {
  beatMilliseconds,
  type NodeRow,
  putNode,
  readNodes,
  removeNode,
  type ShownNode,
  surplusNodes,
} from './node-rows.ts';

export interface NodeRegistryDeps {
  /** That of the platform, where several nodes share it. */
  readonly scope: Scope;
  readonly id: string;
  readonly clock: Clock;
  /** The node's own row as of now. Reads nothing. */
  readonly describe: () => NodeRow;
  readonly onError: (error: unknown) => void;
}

/** The registry of the nodes that share a store: each writes its row when it starts, and again with each beat. */
export class NodeRegistry {
  readonly #deps: NodeRegistryDeps;
  #beats: { close(): Promise<void> } | undefined;
  #isClosed = false;

  constructor(deps: NodeRegistryDeps) {
    this.#deps = deps;
  }

  /** A store that is away keeps no node from serving: the next beat tries again. */
  async begin(): Promise<void> {
    const { scope, clock, onError } = this.#deps;
    if (this.#isClosed) return;
    this.#beats = repeat(() => this.beat(), { milliseconds: beatMilliseconds, onError });
    await surplusNodes(scope, clock.now())
      .then((surplus) => this.#write(surplus))
      .catch(onError);
  }

  /** One commit. */
  beat(): Promise<void> {
    return this.#write([]);
  }

  others(now: number): Promise<{ readonly others: readonly ShownNode[]; readonly hasMore: boolean }> {
    return readNodes(this.#deps.scope, this.#deps.id, now);
  }

  /** Takes its row away. A node that is killed leaves it. */
  async close(): Promise<void> {
    const { scope, id, onError } = this.#deps;
    this.#isClosed = true;
    if (this.#beats === undefined) return;
    await this.#beats.close();
    await scope.commit([removeNode(id)], { priority: 'background' }).catch(onError);
  }

  async #write(along: Awaited<ReturnType<typeof surplusNodes>>): Promise<void> {
    const { scope, id, clock, describe } = this.#deps;
    await scope.commit([putNode(id, describe(), clock.now()), ...along], { priority: 'background' });
  }
}
