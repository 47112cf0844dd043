import type { Scope } from '../store/port.ts';
import { works } from './job-runner.ts';

/** Pieces of work that wait or are under way in a scope. */
export interface WaitingWork {
  readonly waiting: number;
  readonly by_kind: Readonly<Record<string, number>>;
}

/** Of very many the first are counted. */
const countedMax = 100;

export async function waitingWork(scope: Scope): Promise<WaitingWork> {
  const rows = await works.range(scope, works.key('').pk, { limit: countedMax });
  const counts = new Map<string, number>();
  for (const { value } of rows) counts.set(value.job, (counts.get(value.job) ?? 0) + 1);
  return { waiting: rows.length, by_kind: Object.fromEntries(counts) };
}
