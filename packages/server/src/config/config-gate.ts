import type { ConfigSize } from '../tenancy/port.ts';
import type { ActiveEntity, ConfigSet } from './config-set.ts';

/**
 * Holds the configuration of an org, in one environment, to what the org may have, whatever that is. Asked in the planning
 * of each change of configuration: it is committed on what it was planned on or not at all, so that the answer holds.
 * @throws Problem to refuse the change.
 */
export type ConfigGate = (
  orgCode: string,
  size: { readonly before: ConfigSize; readonly after: ConfigSize },
) => Promise<void>;

export function configSize(set: ConfigSet): ConfigSize {
  return sizeOf(new Map(set.entityNames.map((name) => [name, set.active(name)?.state])));
}

/** What a change makes of an entity; without `after` the entity goes. */
export interface EntityChange {
  readonly name: string;
  readonly after: unknown;
  readonly state: ActiveEntity['state'] | undefined;
}

/** The size once the changes are made. */
export function configSizeAfter(set: ConfigSet, changes: readonly EntityChange[]): ConfigSize {
  const states = new Map(set.entityNames.map((name) => [name, set.active(name)?.state]));
  for (const { name, after, state } of changes) {
    if (after === undefined) states.delete(name);
    else states.set(name, state);
  }
  return sizeOf(states);
}

function sizeOf(states: ReadonlyMap<string, ActiveEntity['state'] | undefined>): ConfigSize {
  let indexes = 0;
  for (const state of states.values())
    indexes += state?.indexes.filter((index) => index.state !== 'dropping' && index.state !== 'erasing').length ?? 0;
  return { entities: states.size, indexes };
}
