import type { Period, RunState, Trigger } from './run-filters.ts';

export const stateWords: Readonly<Record<RunState, string>> = {
  running: 'Running',
  waiting: 'Waiting',
  done: 'Done',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

export const stateColors: Readonly<Record<RunState, string>> = {
  running: 'blue',
  waiting: 'yellow',
  done: 'teal',
  failed: 'red',
  cancelled: 'gray',
};

export const triggerWords: Readonly<Record<Trigger, string>> = {
  call: 'A call',
  event: 'An event',
  schedule: 'A schedule',
  hook: 'A hook',
  manual: 'A builder',
  retry: 'A retry',
};

export const periodWords: Readonly<Record<Period, string>> = {
  '1h': 'The last hour',
  '1d': 'The last 24 hours',
  '7d': 'The last 7 days',
};

/** Of a run that went on past them. */
export function failedPassesText(count: number): string {
  return count === 1 ? '1 pass failed' : `${count} passes failed`;
}

/** A length of time as a person reads it. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.max(milliseconds, 0)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}

export function isOpen(state: RunState): boolean {
  return state === 'running' || state === 'waiting';
}
