/** Logic blocks that are run within a write, before it is decided: they refuse it, or change its record. */
import type { InputError } from '@freehold/contract/problem';
import type { Clock } from '../../lib/clock.ts';
import { andThen } from '../../lib/maybe-promise.ts';
import { Problem } from '../../lib/problem.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import type { BeforeEvent, BeforeEvents, EventWrite, RecordData } from '../../records/port.ts';
import { shareKeyOf } from '../../tenancy/port.ts';
import { blockFailure, Uncaught } from '../blocks/block-failure.ts';
import type { CompiledBlock, Effects } from '../blocks/block-run.ts';
import { interpret } from '../blocks/interpret.ts';
import { liveBlock, type StoredBlocks } from '../blocks/stored-blocks.ts';
import { type LiveEvent, type LiveEvents, type WriteValues, writeValues } from './live-events.ts';

interface BeforeEventsDeps {
  readonly live: Pick<LiveEvents, 'before'>;
  readonly blocks: StoredBlocks;
  readonly clock: Clock;
}

export function createBeforeEvents(deps: BeforeEventsDeps): BeforeEvents {
  // For the same contents the same answer: they stay until the configuration changes.
  const made = new WeakMap<readonly LiveEvent[], readonly BeforeEvent[]>();
  return {
    of: (config, place, entityName) =>
      andThen(deps.live.before(config, place, entityName), (found) => {
        if (found === undefined) return undefined;
        const events = made.get(found) ?? found.map((event) => beforeEvent(deps, event));
        made.set(found, events);
        return events;
      }),
  };
}

function beforeEvent(deps: BeforeEventsDeps, live: LiveEvent): BeforeEvent {
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

function effectsOf({ blocks }: BeforeEventsDeps, { call }: EventWrite, bound: ReturnType<typeof timeBound>): Effects {
  const pause = createYielder(shareKeyOf(call.workspace));
  return {
    entity: () => Promise.reject(blockFailure('a step on records is not done before a write')),
    script: () => Promise.reject(blockFailure('a script is not run before a write')),
    http: () => Promise.reject(blockFailure('no other system is called before a write')),
    mail: () => Promise.reject(blockFailure('no mail is sent before a write')),
    wait: () => Promise.reject(blockFailure('nothing waits before a write')),
    block: async (name): Promise<CompiledBlock> => {
      const block = await liveBlock(blocks, { config: call.config, place: call.workspace }, name);
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

/** The limits of the block of one event, and those before all writes of a request. */
const eventMilliseconds = 2000;
const requestMilliseconds = 10_000;

export function timeBound(clock: Clock, spent: { milliseconds: number }) {
  const startedAt = clock.now();
  return {
    /** @throws Problem `block_failed` where the time is over. */
    check: (): void => {
      const taken = clock.now() - startedAt;
      if (taken <= eventMilliseconds && spent.milliseconds + taken <= requestMilliseconds) return;
      const message = 'what is done before the write takes too long';
      const errors = [{ pointer: '', code: 'budget_exceeded', message }];
      throw new Uncaught(new Problem('block_failed', message, { errors }), 'run');
    },
    /** Adds what was taken to what the request has spent. */
    end: (): void => {
      spent.milliseconds += clock.now() - startedAt;
    },
  };
}
