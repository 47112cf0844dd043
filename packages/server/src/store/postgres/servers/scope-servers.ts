import type { ScopeName } from '../../port.ts';
import type { ReadConnections } from '../connections/read-connections.ts';
import type { Statement } from '../statements.ts';

/** About 12 MB at most. */
const knownMax = 100_000;

const forgetMilliseconds = 60_000;

/**
 * Which group of servers keeps a scope, by the cluster's own lists: no worker is asked. Used to keep servers apart from
 * each other, never to find data: what is known of a scope that has moved is wrong for a minute at most, and harmless.
 */
export class ScopeServers {
  readonly #connections: ReadConnections;
  readonly #placeOf: Statement;
  readonly #known = new Map<ScopeName, number>();
  #asked: Promise<void> | undefined;
  #toAsk = new Set<ScopeName>();
  #forgetAt = 0;

  constructor(connections: ReadConnections, schema: string) {
    this.#connections = connections;
    this.#placeOf = placeStatement(schema);
  }

  known(scope: ScopeName): number | undefined {
    return this.#known.get(scope);
  }

  /** Rejects with `Unavailable` where the server that the store is connected to does not answer. */
  async of(scope: ScopeName): Promise<number> {
    for (;;) {
      const known = this.#known.get(scope);
      if (known !== undefined) return known;
      this.#toAsk.add(scope);
      this.#asked ??= Promise.resolve().then(() => this.#ask());
      await this.#asked;
    }
  }

  /** All that were asked for in one turn, in one statement. */
  async #ask(): Promise<void> {
    const scopes = [...this.#toAsk];
    this.#toAsk = new Set();
    this.#asked = undefined;
    const rows = await this.#connections.read<readonly [ScopeName, number]>(this.#placeOf, [scopes]);
    if (performance.now() > this.#forgetAt || this.#known.size + rows.length > knownMax) {
      this.#known.clear();
      this.#forgetAt = performance.now() + forgetMilliseconds;
    }
    for (const [scope, group] of rows) this.#known.set(scope, group);
  }
}

/** A group for every scope: 0, the coordinator's, where the lists name none. */
function placeStatement(schema: string): Statement {
  return {
    name: 'place',
    text: `select scope, coalesce((select groupid from pg_dist_placement
      where shardid = get_shard_id_for_distribution_column('"${schema}".heads', scope) order by groupid limit 1), 0)
      from unnest($1::text[]) as scope`.replaceAll(/\s+/g, ' '),
  };
}
