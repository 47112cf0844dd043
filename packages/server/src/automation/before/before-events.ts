/** Logic blocks that are run within a write, before it is decided: they refuse it, or change its record. */
import type { InputError } from '@freehold/contract/problem';
import { itemKey } from '../../config/port.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { andThen } from '../../lib/maybe-promise.ts';
import { Problem } from '../../lib/problem.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import type { EventContent } from '../../promotion/port.ts';
import {
  asDefined,
  type BeforeEvent,
  type BeforeEvents,
  type EventWrite,
  meetsAll,
  namedFilter,
  type RecordData,
} from '../../records/port.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import { laneOf } from '../../tenancy/port.ts';
import { blockFailure } from '../blocks/block-failure.ts';
import type { CompiledBlock, Effects, StartValues } from '../blocks/effects.ts';
import { interpret } from '../blocks/interpret.ts';
import type { StoredBlocks } from '../blocks/stored-blocks.ts';
import type { LiveEvent } from '../config/event-forms.ts';
import type { LiveEvents } from '../config/live-events.ts';
import { type TimeBound, timeBound } from './time-bound.ts';

export interface BeforeEventsDeps extends BlockDeps {
  readonly live: Pick<LiveEvents, 'before'>;
}

interface BlockDeps {
  readonly blocks: StoredBlocks;
  readonly clock: Clock;
}

export function createBeforeEvents({ live, ...deps }: BeforeEventsDeps): BeforeEvents {
  // For the same contents the same answer: they stay until the configuration changes.
  const made = new WeakMap<readonly LiveEvent[], readonly BeforeEvent[]>();
  return {
    of: (config, place, entityName) =>
      andThen(live.before(config, place, entityName), (found) => {
        if (found === undefined) return undefined;
        const events = made.get(found) ?? found.map(({ content }) => beforeEvent(deps, content));
        made.set(found, events);
        return events;
      }),
  };
}

function beforeEvent(deps: BlockDeps, content: EventContent): BeforeEvent {
  const { event_name: event, event_optype: on, entry_conditions: conditions = [], destination_config } = content;
  const name = 'logicblock' in destination_config ? destination_config.logicblock : '';
  const failed = (message: string, errors: readonly InputError[]): Problem =>
    new Problem('before_event_failed', message, { errors, event, logicblock: name });
  return {
    on,
    refusal: (errors) => failed(`the logic block \`${name}\` gives values that the record cannot take`, errors),
    run: async (write, spent) => {
      const { entity } = write.call;
      const record = write.after ?? write.before?.data;
      if (record === undefined || !meetsConditions(entity, conditions, record)) return undefined;
      const bound = timeBound(deps.clock, spent);
      try {
        const effects = effectsOf(deps, write, bound);
        return changesIn(await interpret(await effects.block(name), startOf(deps.clock, write, record), effects));
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        const { code, message, details } = error;
        throw failed(message, details.errors ?? [{ pointer: '', code, message }]);
      } finally {
        bound.end();
      }
    },
  };
}

type Conditions = NonNullable<EventContent['entry_conditions']>;

/** A condition that the entity does not allow any more is met by no record. */
function meetsConditions(entity: CompiledEntity, conditions: Conditions, data: RecordData): boolean {
  if (conditions.length === 0) return true;
  const filters = conditions.map(({ field, op, value }) =>
    namedFilter(entity, field, { operator: op, text: Array.isArray(value) ? value.join(',') : String(value) }),
  );
  const usable = filters.flatMap((filter) => ('message' in filter ? [] : [filter]));
  return usable.length === filters.length && meetsAll(usable, asDefined(entity, data));
}

function effectsOf({ blocks }: BlockDeps, { call }: EventWrite, bound: TimeBound): Effects {
  const { env, orgCode } = call.workspace;
  const pause = createYielder(laneOf(call.workspace));
  return {
    entity: () => Promise.reject(blockFailure('a step on records is not done before a write')),
    script: () => Promise.reject(blockFailure('a script is not run before a write')),
    http: () => Promise.reject(blockFailure('no other system is called before a write')),
    mail: () => Promise.reject(blockFailure('no mail is sent before a write')),
    wait: () => Promise.reject(blockFailure('nothing waits before a write')),
    block: async (name): Promise<CompiledBlock> => {
      const version = call.config.items.get(itemKey({ kind: 'logicblock', name }));
      const block = version === undefined ? undefined : await blocks.at({ env, orgCode, name, version });
      if (block === undefined) throw blockFailure(`there is no logic block \`${name}\``);
      return block;
    },
    pause: () => {
      bound.check();
      return pause();
    },
  };
}

function startOf(clock: Clock, { call, before, after }: EventWrite, record: RecordData): StartValues {
  const { workspace, actor, entity, origin } = call;
  const now = clock.now();
  const op = before === undefined ? 'create' : after === undefined ? 'delete' : 'update';
  const type = `${entity.name}.${op}`;
  const { email } = actor.claims;
  return {
    event: { type, timestamp: timestamp(now), depth: (origin?.depth ?? 0) + 1, path: '' },
    record: asDefined(entity, record),
    before: before === undefined ? undefined : asDefined(entity, before.data),
    user: { id: actor.userId, ...(typeof email === 'string' ? { email } : {}) },
    tenant: { id: workspace.tenantId, code: workspace.tenantCode },
    ...{ input: {}, env: workspace.env, now },
  };
}

function changesIn(returned: unknown): Readonly<Record<string, unknown>> | undefined {
  if (returned === null || returned === undefined) return undefined;
  if (typeof returned !== 'object' || Array.isArray(returned))
    throw blockFailure('a block before a write returns an object with values for fields, or null');
  return { ...returned };
}
