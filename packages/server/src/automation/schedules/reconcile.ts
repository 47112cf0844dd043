import type { ConfigReader } from '../../config/port.ts';
import type { Clock } from '../../lib/clock.ts';
import { nextDue } from '../../lib/scheduling/next-due.ts';
import type { Change } from '../../store/port.ts';
import { type Row, removeAsRead } from '../../store/table.ts';
import { refusedChange } from '../../store/transact.ts';
import type { Environment } from '../../tenancy/port.ts';
import type { DueVisit } from '../../work/visits.ts';
import { liveStarts } from '../config/live-starts.ts';
import type { BlockSchedule } from '../kinds/logicblock-starts.ts';
import { allSchedules, done, type ScheduleRow, scheduleChanges, undue } from './schedule-rows.ts';

export interface ReconcileDeps {
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly clock: Clock;
}

const changesPerCommit = 200;

/**
 * Has the stored schedules follow the live blocks. It is due with each change of these; a change that comes meanwhile
 * writes what is due again, so no commit that rests on the older configuration is taken.
 */
export function reconcileHandler({ configs, clock }: ReconcileDeps): DueVisit {
  return async ({ env, orgCode, tenantCode, scope, item }) => {
    if (tenantCode !== undefined) return void (await refusedChange(scope, [done(item)]));
    const live = await liveStarts(scope, await configs[env].refresh(orgCode), 'schedule');
    const stored = await allSchedules(scope);
    const now = clock.now();
    const changes: readonly (readonly Change[])[] = [
      // Paused belongs to the environment: it outlives a publication without the block, and the publication that brings it back.
      ...[...stored].flatMap(([name, row]) =>
        live.has(name) || row.value.paused === true ? [] : [[removeAsRead(row), undue(name)]],
      ),
      ...[...live].flatMap(([name, schedule]) => {
        const before = stored.get(name);
        return isSame(before?.value, schedule) ? [] : [scheduleChanges(name, before, planned(before, schedule, now))];
      }),
    ];
    const isAsSeen: Change = { kind: 'check', pk: item.pk, sk: item.sk, if: { version: item.version } };
    for (let start = 0; start < changes.length; start += changesPerCommit / 2) {
      const some = changes.slice(start, start + changesPerCommit / 2).flat();
      if ((await refusedChange(scope, [isAsSeen, ...some])) !== undefined) return;
    }
    await refusedChange(scope, [done(item)]);
  };
}

export function isSame(row: ScheduleRow | undefined, { cron, timezone }: BlockSchedule): boolean {
  return row !== undefined && row.cron === cron && row.timezone === timezone;
}

/** A new or changed schedule: what was due before `now` is not. */
export function planned(
  before: Pick<Row<ScheduleRow>, 'value'> | undefined,
  { cron, timezone }: BlockSchedule,
  now: number,
): ScheduleRow {
  const { last, paused } = before?.value ?? {};
  const next = nextDue({ cron, timezone }, now);
  return {
    ...{ cron, timezone },
    ...(next === undefined ? {} : { next }),
    ...(paused === undefined ? {} : { paused }),
    ...(last === undefined ? {} : { last }),
  };
}
