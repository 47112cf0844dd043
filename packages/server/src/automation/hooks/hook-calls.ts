/**
 * The last calls of hooks, in the memory of a node. Senders that are not known may cause no write, so nothing of them is
 * stored: they are counted by the reason, in a place that each hook has once.
 */
import type { HookDetails, hookRefusals, ListedHook } from '@freehold/contract/management/automation/hooks';
import type { Read } from '@freehold/contract/schema';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';

export type HookRefusal = (typeof hookRefusals)[number];
export type HookCalls = Read<typeof HookDetails>['calls'];
export type LastCall = NonNullable<Read<typeof ListedHook>['last_call']>;

/** A message that was signed, and began no run. */
export interface RefusedCall {
  /** How its sender names the message. */
  readonly id: string;
  readonly code: string;
  readonly message: string;
}

/** Hooks by their names, which hold org and environment. */
export interface HookCallLog {
  /** Of a message of a sender that is not known. Nothing is kept for the name `''`, which stands for no hook. */
  noteUnsigned(hook: string, reason: HookRefusal): void;
  noteRefused(hook: string, call: RefusedCall): void;
  noteAccepted(hook: string): void;
  of(hook: string): HookCalls;
  lastOf(hook: string): LastCall | undefined;
}

interface Counted {
  readonly count: number;
  readonly first_at: string;
  readonly last_at: string;
}

interface Noted {
  readonly accepted: HookCalls['accepted'];
  /** The latest first. */
  readonly refused: HookCalls['refused'];
  readonly unsigned: ReadonlyMap<HookRefusal, Counted>;
  /** Kept by itself: several calls may come in one millisecond. */
  readonly last: LastCall | undefined;
}

const hooksMax = 2000;
const refusedMax = 20;
/** An id has at most 256 characters, and a sentence is one of the platform, which may name something of a message. */
const charactersMax = 256;

const nothing: Noted = { accepted: { count: 0, last_at: null }, refused: [], unsigned: new Map(), last: undefined };

export function createHookCallLog(clock: Clock): HookCallLog {
  const since = timestamp(clock.now());
  const hooks = new BoundedMap<string, Noted>(hooksMax);
  const note = (hook: string, change: (before: Noted, at: string) => Noted): void => {
    const noted = change(hooks.get(hook) ?? nothing, timestamp(clock.now()));
    if (hook !== '') hooks.set(hook, noted);
  };
  return {
    noteUnsigned: (hook, reason) =>
      note(hook, (before, at) => {
        const { count = 0, first_at = at } = before.unsigned.get(reason) ?? {};
        const unsigned = new Map(before.unsigned).set(reason, { count: count + 1, first_at, last_at: at });
        return { ...before, unsigned, last: { at, accepted: false, code: reason } };
      }),
    noteRefused: (hook, call) =>
      note(hook, (before, at) => ({
        ...before,
        refused: [{ at, ...shortened(call) }, ...before.refused].slice(0, refusedMax),
        last: { at, accepted: false, code: call.code },
      })),
    noteAccepted: (hook) =>
      note(hook, (before, at) => ({
        ...before,
        accepted: { count: before.accepted.count + 1, last_at: at },
        last: { at, accepted: true },
      })),
    of: (hook) => {
      const { accepted, refused, unsigned } = hooks.get(hook) ?? nothing;
      return { since, accepted, refused, unsigned: [...unsigned].map(([reason, counted]) => ({ reason, ...counted })) };
    },
    lastOf: (hook) => hooks.get(hook)?.last,
  };
}

function shortened({ id, code, message }: RefusedCall): RefusedCall {
  return { id: id.slice(0, charactersMax), code, message: message.slice(0, charactersMax) };
}
