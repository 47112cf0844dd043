/** Schedules as they stand in an environment of an org. They belong to no configuration, and are never promoted. */
import type { CronTime } from '../../lib/scheduling/next-due.ts';
import type { Change, Item, Key, Scope } from '../../store/port.ts';
import { json, type Row, table } from '../../store/table.ts';

/** What became of a due time. */
export interface LastDue {
  /** Milliseconds since the epoch. */
  readonly due: number;
  /** `skipped`: it was missed. `refused`: no run could begin, at least in one workspace. */
  readonly state: 'started' | 'skipped' | 'refused';
  /** Of a schedule of one workspace. */
  readonly run?: string;
  readonly code?: string;
}

export interface ScheduleRow extends CronTime {
  /** Milliseconds since the epoch; left out where no time is due any more. */
  readonly next?: number;
  readonly paused?: true;
  readonly last?: LastDue;
  /** A due time whose runs begin in one workspace after the other: `after` is the last one's code. */
  readonly beginning?: { readonly due: number; readonly after: string; readonly code?: string };
}

const schedulePartition = 'schedule';

/** By the name of the block, in the scope of the org. */
export const schedules = table(
  (block: string) => ({ pk: schedulePartition, sk: block }),
  json<ScheduleRow>('schedule', { cron: 'string', timezone: 'string' }),
);

const duePrefix = 'schedule;';

export const scheduleJob = 'schedule';

function dueScheduleKey(block: string): Key {
  return { pk: 'due', sk: duePrefix + block };
}

export function blockOfDue({ sk }: Key): string {
  return sk.slice(duePrefix.length);
}

/** A row, and what is due by it. @param before the row as it was read; undefined where there was none. */
export function scheduleChanges(
  block: string,
  before: Row<ScheduleRow> | undefined,
  row: ScheduleRow,
  at = row.next,
): readonly Change[] {
  const put = before === undefined ? schedules.insert(block, row) : schedules.replace(before, row);
  if (at === undefined || row.paused === true) return [put, undue(block)];
  const value = JSON.stringify({ job: scheduleJob });
  return [put, { kind: 'put', ...dueScheduleKey(block), value, if: 'any', due: { at, queue: 'automation' } }];
}

export function undue(block: string): Change {
  return { kind: 'remove', ...dueScheduleKey(block), if: 'any' };
}

const rowsPerRead = 100;

export async function allSchedules(scope: Scope): Promise<ReadonlyMap<string, Row<ScheduleRow>>> {
  const all = new Map<string, Row<ScheduleRow>>();
  for (let after: string | undefined; ; ) {
    const rows = await schedules.range(scope, schedulePartition, {
      ...(after === undefined ? {} : { after }),
      limit: rowsPerRead,
    });
    for (const row of rows) all.set(row.sk, row);
    if (rows.length < rowsPerRead) return all;
    after = rows.at(-1)?.sk;
  }
}

/** Takes away what was due, unless it was written since. */
export function done({ pk, sk, version }: Item): Change {
  return { kind: 'remove', pk, sk, if: { version } };
}
