import { randomBytes } from 'node:crypto';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import { createYielder, paceBackground } from '../../lib/scheduling/event-loop.ts';
import { repeat } from '../../lib/scheduling/repeat.ts';
import {
  type BufferedOrg,
  type CountedCall,
  type CountedCaller,
  type DecidedCall,
  DecisionBuffer,
} from './decision-buffer.ts';
import { type StoreDecisionsDeps, storeDecisions } from './store-decisions.ts';

export interface DecisionRecorderDeps extends Omit<StoreDecisionsDeps, 'node'> {
  readonly clock: Clock;
  /** Called with each failure: what could not be stored is gone. */
  readonly onError: (error: unknown) => void;
}

type RecordedOrg = Pick<BufferedOrg, 'orgCode' | 'env'>;

export type DecisionRecorder = ReturnType<typeof startDecisionRecorder>;

type RecorderPause = Parameters<typeof storeDecisions>[2]['pause'];

const turnMilliseconds = 60_000;
/** The time for which nothing is noted of an org that does not record. */
const offMilliseconds = 60_000;
const orgsOffMax = 10_000;

/** Keeps samples of the decisions on calls. A failure in it fails no call. */
export function startDecisionRecorder(deps: DecisionRecorderDeps) {
  const { clock, onError } = deps;
  const stored = { ...deps, node: randomBytes(9).toString('base64url') };
  const buffer = new DecisionBuffer();
  const off = new BoundedMap<string, number>(orgsOffMax);

  const storeOne = async (org: BufferedOrg, pause: RecorderPause): Promise<void> => {
    try {
      const isOn = await storeDecisions(stored, org, { now: clock.now(), pause });
      if (!isOn) off.set(keyOf(org), clock.now() + offMilliseconds);
    } catch (error) {
      onError(error);
    }
  };
  /** Of each org that stores: two that store at once would each write over what the other adds to a row. */
  const storing = new Map<string, Promise<void>>();
  const store = (org: BufferedOrg, pause: RecorderPause): Promise<void> => {
    const key = keyOf(org);
    const before = storing.get(key) ?? Promise.resolve();
    const mine = before
      .then(() => storeOne(org, pause))
      .finally(() => {
        if (storing.get(key) === mine) storing.delete(key);
      });
    storing.set(key, mine);
    return mine;
  };
  const storeAll = async (): Promise<void> => {
    const pause = paceBackground();
    // One at a time: what waits for its turn stays in the buffer, where a caller of `store` finds it.
    for (const place of buffer.places()) for (const org of buffer.take(place)) await store(org, pause);
  };
  const turns = repeat(storeAll, { milliseconds: turnMilliseconds, onError });
  const isOff = (place: RecordedOrg): boolean => {
    const until = off.size === 0 ? undefined : off.get(keyOf(place));
    return until !== undefined && clock.now() < until;
  };
  return {
    /** Counts an allowed call of which nothing else is kept. @returns false where it has to be noted. */
    count: (by: CountedCaller, action: string, call: CountedCall): boolean => {
      if (buffer.count(by, action, call)) return true;
      const { place } = by.caller;
      return place === undefined || isOff(place.workspace);
    },
    note: (call: DecidedCall): void => {
      if (isOff(call.place)) return;
      try {
        buffer.note(call);
      } catch (error) {
        onError(error);
      }
    },
    /** Ends once all that this process knows of an org in an environment is stored. */
    store: async (of: RecordedOrg): Promise<void> => {
      const pause = createYielder({ org: of.orgCode, workspace: 'builders' });
      for (const org of buffer.take(of)) void store(org, pause);
      // Also what others have taken and not stored yet.
      await storing.get(keyOf(of));
    },
    close: async (): Promise<void> => {
      await turns.close();
      await storeAll();
    },
  };
}

function keyOf({ orgCode, env }: RecordedOrg): string {
  return `${env} ${orgCode}`;
}
