import { hash } from 'node:crypto';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import type { Key, Scope } from '../../store/port.ts';

/** When keys were used last, for whoever wonders which of them may go. */
export interface KeyUses {
  /** Returns at once; what is lost by a crash is lost. */
  seen(scope: Scope, key: UsedKey): void;
}

/** Where a key lies, and where its use is noted. */
export interface UsedKey {
  readonly id: string;
  readonly row: Key;
  readonly use: Key;
}

/** 256 random bits need no slow hash: nobody can try them out. */
export function secretHash(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

const intervalMilliseconds = 10 * 60 * 1000;

/** Writes a key's use at most once in ten minutes, behind everything that somebody waits for. */
export function createKeyUses(clock: Clock, keysMax = 10_000): KeyUses {
  const written = new BoundedMap<string, number>(keysMax);
  return {
    seen: (scope, { id, row, use }) => {
      const now = clock.now();
      const last = written.get(id);
      if (last !== undefined && now - last < intervalMilliseconds) return;
      written.set(id, now);
      const changes = [
        { kind: 'check', ...row, if: 'present' },
        { kind: 'put', ...use, value: JSON.stringify({ at: timestamp(now) }), if: 'any' },
      ] as const;
      // The key may be gone by then, or the store closed: there is nobody left to tell, and nothing to make good.
      scope.commit(changes, { priority: 'background' }).catch(() => undefined);
    },
  };
}
