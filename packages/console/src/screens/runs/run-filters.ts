/** What the list of runs is narrowed to, as it stands in the address. The workspace is that of the whole console. */
export interface RunFilters {
  /** The name of a logic block. */
  readonly block?: string | undefined;
  readonly state?: RunState | undefined;
  readonly trigger?: Trigger | undefined;
  readonly since?: Period | undefined;
}

export const runStates = ['running', 'waiting', 'done', 'failed', 'cancelled'] as const;

export type RunState = (typeof runStates)[number];

export const triggers = ['call', 'event', 'schedule', 'hook', 'manual', 'retry'] as const;

export type Trigger = (typeof triggers)[number];

const hour = 3_600_000;

/** By the time until now that they cover, in milliseconds. */
const periods = { '1h': hour, '1d': 24 * hour, '7d': 7 * 24 * hour } as const;

export type Period = keyof typeof periods;

export const periodNames = Object.keys(periods) as readonly Period[];

/** What is no filter is left out. */
export function readRunFilters({ block, state, trigger, since }: Record<string, unknown>): RunFilters {
  return {
    block: typeof block === 'string' && block !== '' ? block : undefined,
    state: runStates.find((one) => one === state),
    trigger: triggers.find((one) => one === trigger),
    since: periodNames.find((one) => one === since),
  };
}

/** When a period begins, as the API takes it; undefined for all times. */
export function beginOf(period: Period | undefined, now: number): string | undefined {
  return period === undefined ? undefined : new Date(now - periods[period]).toISOString();
}
