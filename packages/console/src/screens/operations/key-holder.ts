/** Why the area is locked. */
export type LockReason = 'idle' | 'refused';

export interface LockState {
  readonly isUnlocked: boolean;
  /** Undefined where the user locked it, or has not opened it yet. */
  readonly why: LockReason | undefined;
}

/** Holds the operator key while the area is unlocked. */
export interface KeyHolder {
  unlock(key: string): void;
  lock(why?: LockReason): void;
  /** Notes that the user does something. */
  touch(): void;
  /** The value of the header `Authorization`; undefined where the area is locked. */
  authorization(): string | undefined;
  /** The same object until it changes. */
  state(): LockState;
  /** @returns what ends the subscription. */
  subscribe(listener: () => void): () => void;
}

export const idleMinutes = 15;

const idleMilliseconds = idleMinutes * 60_000;
const unlocked: LockState = { isUnlocked: true, why: undefined };

interface Held {
  readonly key: string;
  usedAt: number;
}

/**
 * The key is in a variable that only these functions reach: in no state of a component, which elements of the page lead
 * to, and in nothing that the browser stores.
 */
export function createKeyHolder(): KeyHolder {
  const listeners = new Set<() => void>();
  let held: Held | undefined;
  let state: LockState = { isUnlocked: false, why: undefined };
  let timer: ReturnType<typeof setTimeout> | undefined;

  const change = (to: LockState): void => {
    state = to;
    for (const listener of listeners) listener();
  };
  const lock = (why?: LockReason): void => {
    clearTimeout(timer);
    if (held === undefined) return;
    held = undefined;
    change({ isUnlocked: false, why });
  };
  /** Timers rest while a computer sleeps, so the time is asked for at each use too. */
  const isIdle = ({ usedAt }: Held): boolean => Date.now() - usedAt >= idleMilliseconds;
  const wait = ({ usedAt }: Held): void => {
    timer = setTimeout(check, usedAt + idleMilliseconds - Date.now());
  };
  const check = (): void => {
    clearTimeout(timer);
    if (held === undefined) return;
    if (isIdle(held)) lock('idle');
    else wait(held);
  };
  return {
    unlock: (key) => {
      clearTimeout(timer);
      held = { key, usedAt: Date.now() };
      wait(held);
      change(unlocked);
    },
    lock,
    touch: () => {
      check();
      if (held !== undefined) held.usedAt = Date.now();
    },
    authorization: () => {
      check();
      return held === undefined ? undefined : bearer(held.key);
    },
    state: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function bearer(key: string): string {
  return `Bearer ${key}`;
}
