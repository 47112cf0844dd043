import type { Scope } from '../store/port.ts';
import type { Day } from './calendar.ts';
import { eachRow, eachWorkspaceRow, type Tally, type UnreadableRow } from './usage-rows.ts';
import { unreadableWork } from './work-units/work-rows.ts';

/** What the rows of an org's calls come to in an environment, and where they contradict each other. */
export interface CheckedDays {
  readonly days: readonly Day[];
  readonly calls: number;
  readonly problems: readonly DayProblem[];
}

export interface DayProblem {
  readonly day: Day;
  /** A sentence, but for its period. */
  readonly problem: string;
}

const firstDay: Day = '1970-01-02';

/**
 * Compares what is stored of each day as a whole with what is stored of its workspaces: a node writes both in one commit.
 * Months are nowhere stored, they are the sums of these days. Memory grows with the days, not with the workspaces.
 */
export async function checkDays(scope: Scope): Promise<CheckedDays> {
  const wholes = new Map<Day, Tally>();
  const parts = new Map<Day, Tally>();
  const problems: DayProblem[] = [];
  const note = (sums: Map<Day, Tally>, row: { readonly day: Day; readonly tally: Tally } | UnreadableRow): void => {
    if ('place' in row) problems.push({ day: row.day, problem: `the row ${row.place} cannot be read` });
    else sums.set(row.day, sum(sums.get(row.day), row.tally));
  };
  for await (const row of eachRow(scope, firstDay)) note(wholes, row);
  for await (const row of eachWorkspaceRow(scope, firstDay)) note(parts, row);
  for await (const row of unreadableWork(scope, firstDay)) note(parts, row);
  for (const day of [...new Set([...wholes.keys(), ...parts.keys()])].sort()) {
    const [whole, part] = [wholes.get(day) ?? nothing, parts.get(day) ?? nothing];
    for (const what of ['calls', 'records'] as const)
      if (whole[what] !== part[what])
        problems.push({ day, problem: `${whole[what]} ${words[what]} in all, ${part[what]} in its workspaces` });
  }
  const calls = [...wholes.values()].reduce((before, tally) => before + tally.calls, 0);
  return { days: [...wholes.keys()], calls, problems };
}

const nothing: Tally = { calls: 0, records: 0 };
const words = { calls: 'calls', records: 'records added' } as const;

function sum(left: Tally = nothing, right: Tally): Tally {
  return { calls: left.calls + right.calls, records: left.records + right.records };
}
