import { BoundedMap } from '../../lib/bounded-map.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import type { Scope } from '../../store/port.ts';
import { keyRow, keyUse } from './service-key.ts';

/** When keys were used last, for whoever wonders which of them may go. */
export interface KeyUses {
  /** Returns at once; what is lost by a crash is lost. */
  seen(orgScope: Scope, keyId: string): void;
}

const intervalMilliseconds = 10 * 60 * 1000;

/** Writes a key's use at most once in ten minutes, behind everything that somebody waits for. */
export function createKeyUses(clock: Clock, keysMax = 10_000): KeyUses {
  const written = new BoundedMap<string, number>(keysMax);
  return {
    seen: (orgScope, keyId) => {
      const now = clock.now();
      const last = written.get(keyId);
      if (last !== undefined && now - last < intervalMilliseconds) return;
      written.set(keyId, now);
      const changes = [
        { kind: 'check', ...keyRow(keyId), if: 'present' },
        { kind: 'put', ...keyUse(keyId), value: JSON.stringify({ at: timestamp(now) }), if: 'any' },
      ] as const;
      // The key may be gone by then, or the store closed: there is nobody left to tell, and nothing to make good.
      orgScope.commit(changes, { priority: 'background' }).catch(() => undefined);
    },
  };
}
