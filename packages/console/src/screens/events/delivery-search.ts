/** Which deliveries a list shows, as it stands in the address. */
export interface DeliverySearch {
  readonly event?: string | undefined;
  readonly state?: DeliveryState | undefined;
  /** Times of writes, in RFC 3339: from one, and before another. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

export interface EventsSearch extends DeliverySearch {
  readonly tab?: string | undefined;
}

export const deliveryStates = ['waiting', 'retrying', 'delivered', 'dead'] as const;

type DeliveryState = (typeof deliveryStates)[number];

/** Takes from an address what can be the state of a list. */
export function readEventsSearch({ tab, event, state, since, until }: Record<string, unknown>): EventsSearch {
  const known = deliveryStates.find((one) => one === state);
  return {
    ...(typeof tab === 'string' ? { tab } : {}),
    ...(typeof event === 'string' && event !== '' ? { event } : {}),
    ...(known === undefined ? {} : { state: known }),
    ...(isTime(since) ? { since } : {}),
    ...(isTime(until) ? { until } : {}),
  };
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value));
}

/** A time as an input for local times shows it; empty where there is none. */
export function localTime(at: string | undefined): string {
  if (at === undefined) return '';
  const date = new Date(at);
  const two = (number: number): string => String(number).padStart(2, '0');
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** What such an input holds, in RFC 3339; undefined where it holds no whole time. */
export function fromLocalTime(text: string): string | undefined {
  const time = Date.parse(text);
  return !/^\d{4,6}-\d\d-\d\dT\d\d:\d\d/.test(text) || Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
