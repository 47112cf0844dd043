/** Logic blocks that are run within a write, before it is decided: they refuse it, or change its record. */
import type { InputError } from '@freehold/contract/problem';
import { itemKey } from '../../config/port.ts';
import type { Clock } from '../../lib/clock.ts';
import { andThen } from '../../lib/maybe-promise.ts';
import { Problem } from '../../lib/problem.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import type { BeforeEvent, BeforeEvents, EventWrite, RecordData } from '../../records/port.ts';
import { laneOf } from '../../tenancy/port.ts';
import { blockFailure } from '../blocks/block-failure.ts';
import type { CompiledBlock, Effects } from '../blocks/effects.ts';
import { interpret } from '../blocks/interpret.ts';
import type { StoredBlocks } from '../blocks/stored-blocks.ts';
import type { LiveEvent } from '../config/event-forms.ts';
import type { LiveEvents } from '../config/live-events.ts';
import { type WriteValues, writeValues } from '../config/write-values.ts';
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
        const events = made.get(found) ?? found.map((event) => beforeEvent(deps, event));
        made.set(found, events);
        return events;
      }),
  };
}

function beforeEvent(deps: BlockDeps, live: LiveEvent): BeforeEvent {
  const { event_name: event, event_optype: on, destination_config } = live.content;
  const name = 'logicblock' in destination_config ? destination_config.logicblock : '';
  const failed = (message: string, errors: readonly InputError[]): Problem =>
    new Problem('before_event_failed', message, { errors, event, logicblock: name });
  return {
    on,
    refusal: (errors) => failed(`the logic block \`${name}\` gives values that the record cannot take`, errors),
    run: async (write, spent) => {
      const record = write.after ?? write.before?.data;
      if (record === undefined) return undefined;
      const bound = timeBound(deps.clock, spent);
      try {
        const effects = effectsOf(deps, write, bound);
        const values = writeValues(write, record, deps.clock.now());
        if (live.content.when !== undefined) await effects.pause();
        if (!isMet(live, write, { record, values })) return undefined;
        return changesIn(await interpret(await effects.block(name), values, effects));
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

/** A guard is not got round by a write for which its condition takes too much. @throws Problem `block_failed`. */
function isMet(
  live: LiveEvent,
  { call: { entity } }: EventWrite,
  { record, values }: { readonly record: RecordData; readonly values: WriteValues },
): boolean {
  const verdict = live.judge(entity, record, { values: () => values, effort: { steps: 0 } });
  if (verdict !== 'too_costly') return verdict === 'met';
  const message = 'the condition of an event takes too much';
  throw new Problem('block_failed', message, { errors: [{ pointer: '', code: 'expression_too_costly', message }] });
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

function changesIn(returned: unknown): Readonly<Record<string, unknown>> | undefined {
  if (returned === null || returned === undefined) return undefined;
  if (typeof returned !== 'object' || Array.isArray(returned))
    throw blockFailure('a block before a write returns an object with values for fields, or null');
  return { ...returned };
}
