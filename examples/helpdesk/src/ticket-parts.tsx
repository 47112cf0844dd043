export const statuses = ['open', 'waiting', 'closed'] as const;

export type Status = (typeof statuses)[number];

export function isStatus(text: string): text is Status {
  return statuses.some((status) => status === text);
}

export const priorities = [1, 2, 3, 4, 5] as const;

export function StatusBadge({ status }: { readonly status: string | null | undefined }) {
  return <span className={`badge ${status ?? ''}`}>{status ?? 'unknown'}</span>;
}

const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const times = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

export function dateOf(value: string | null | undefined): string {
  return value == null ? '–' : dates.format(new Date(value));
}

export function timeOf(value: string | null | undefined): string {
  return value == null ? '–' : times.format(new Date(value));
}
