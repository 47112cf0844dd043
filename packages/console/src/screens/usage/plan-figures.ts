import type { CapFigure, ExplainedFigure } from './figures.ts';
import { type Ahead, limitOutlook } from './limit-outlook.ts';
import type { Usage } from './queries.ts';

/** A number that a plan limits, as the screen shows it. */
export interface PlanFigure {
  readonly name: string;
  readonly used: number;
  /** Undefined if the plan does not limit it. */
  readonly limit: number | undefined;
  /** What becomes of it. */
  readonly outlook: string;
  readonly explained: ExplainedFigure;
}

type Usages = Pick<Usage, 'plan' | 'usage' | 'work' | 'caps' | 'forecast' | 'windows'>;

export function planFigures({ plan: { limits }, usage, work, caps, forecast, windows }: Usages): readonly PlanFigure[] {
  const { today } = work;
  return [
    {
      name: 'Calls today',
      used: usage.api_calls.today,
      limit: limits.api_calls_per_day,
      outlook: outlookOf(usage.api_calls.today, limits.api_calls_per_day, {
        day: forecast.api_calls_per_day,
        resets: windows.day,
      }),
      explained: 'api_calls.today',
    },
    {
      name: 'Calls this month',
      used: usage.api_calls.month,
      limit: limits.api_calls_per_month,
      outlook: outlookOf(usage.api_calls.month, limits.api_calls_per_month, {
        day: forecast.api_calls_per_month,
        resets: windows.month,
      }),
      explained: 'api_calls.month',
    },
    {
      name: 'Records',
      used: usage.records.total,
      limit: limits.records,
      outlook: outlookOf(usage.records.total, limits.records, { day: forecast.records, resets: null }),
      explained: 'records.total',
    },
    workFigure('Runs today', today.runs, limits.runs_per_day, 'runs.today'),
    workFigure('Deliveries today', today.deliveries, limits.deliveries_per_day, 'deliveries.today'),
    workFigure(
      'Script seconds today',
      Math.ceil(today.script_ms / 100) / 10,
      limits.script_seconds_per_day,
      'script_ms.today',
    ),
    workFigure('Mails today', today.mails, limits.mails_per_day, 'mails.today'),
    capFigure('Entities', 'entities', caps.entities),
    capFigure('Indexes', 'indexes', caps.indexes),
    capFigure('Policies of a workspace', 'policies', caps.policies),
  ];

  function workFigure(name: string, used: number, limit: number | undefined, explained: ExplainedFigure): PlanFigure {
    const isReached = limit !== undefined && used >= limit;
    return {
      name,
      used,
      limit,
      outlook: `${isReached ? 'The limit is reached. ' : ''}${again(windows.day)}`,
      explained,
    };
  }
}

interface Cap {
  readonly limit: number | null;
  readonly test: number;
  readonly prod: number | null;
}

/** A cap holds in each environment, so the fuller one counts; of policies in each workspace, so the fullest one. */
function capFigure(name: string, explained: CapFigure, { limit, test, prod }: Cap): PlanFigure {
  const counted = prod === null ? `${test} in test` : `${test} in test, ${prod} in production`;
  const used = Math.max(test, prod ?? 0);
  const full = limit !== null && used >= limit ? ' The plan has no room for more.' : '';
  const outlook = `${explained === 'policies' ? 'The most of a workspace: ' : ''}${counted}.${full}`;
  return { name, used, limit: limit ?? undefined, outlook, explained };
}

function outlookOf(used: number, limit: number | undefined, ahead: Ahead): string {
  return limitOutlook(used, limit, ahead) ?? again(ahead.resets);
}

function again(resets: string | null): string {
  return resets === null ? '' : `Counts from 0 again on ${resets.slice(0, 10)}.`;
}
