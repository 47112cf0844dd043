/** The way decisions of calls lie in the org's scope of an environment. */
import type { CompiledAccess } from '../../access/port.ts';
import type { Due, Scope } from '../../store/port.ts';
import { json, type Row, table } from '../../store/table.ts';

/** `YYYY-MM-DD` of a day in UTC. */
export type Day = string;

export type DecidedOutcome = 'allowed' | 'explicit_deny' | 'implicit_deny';

/** One of the calls that a row represents: all that is needed to decide it again. */
export interface RecordedCall {
  readonly at: string;
  readonly method: string;
  readonly resource: string;
  readonly params: { readonly id?: string; readonly entity?: string };
  readonly ip: string;
  readonly origin?: string;
  /** One for each state of a record that was judged: an update is judged by the record before and after it. */
  readonly looks: readonly ReturnType<CompiledAccess['keep']>[];
}

/** The change that a statement that is only reported would have made. */
export interface RecordedReport {
  readonly policy_id: string;
  readonly policy: string;
  readonly index: number;
  readonly Sid?: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly would: 'allow' | 'deny';
  readonly calls: number;
  readonly last_at: string;
}

/** Calls of one day that are alike: of one user, with one action, on one kind of resource, decided by one statement. */
export interface RecordedDecision {
  readonly user_id: string;
  readonly action: string;
  /** The resource with `{id}` in the place of an id. */
  readonly shape: string;
  readonly outcome: DecidedOutcome;
  readonly policy_id?: string;
  readonly Sid?: string;
  /** Of a logic block that runs by policies of its own, for what is reported alone: it is no use of the user's rights. */
  readonly is_of_block?: true;
  readonly calls: number;
  readonly last_at: string;
  readonly samples: readonly RecordedCall[];
  readonly reports: readonly RecordedReport[];
}

export interface DecisionPlace {
  readonly tenantId: string;
  readonly day: Day;
  /** Of the calls that are alike, and of the process that counts them. */
  readonly name: string;
}

export const recordedDecisions = table(
  ({ tenantId, day, name }: DecisionPlace) => ({ pk: partitionOf(tenantId), sk: `${day}#${name}` }),
  json<RecordedDecision>('recorded decision', {
    user_id: 'string',
    action: 'string',
    calls: 'number',
    samples: 'object',
  }),
);

/** The number of rows that a process has written in a day, and how many calls found no room in them. */
interface RecordedDay {
  readonly rows: number;
  readonly not_recorded: number;
}

const daysPartition = 'decision-days';

export const recordedDays = table(
  ({ day, node }: { readonly day: Day; readonly node: string }) => ({ pk: daysPartition, sk: `${day}#${node}` }),
  json<RecordedDay>('day of recorded decisions', { rows: 'number', not_recorded: 'number' }),
);

export const dayMilliseconds = 24 * 60 * 60 * 1000;
/** Decisions of these days are kept, beside those of today. */
export const recordedDaysMax = 7;

export function dayOf(milliseconds: number): Day {
  return new Date(milliseconds).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

/** The time at which the rows of a day are removed. */
export function expiryOf(day: Day): Due {
  return { at: Date.parse(day) + (recordedDaysMax + 1) * dayMilliseconds, queue: 'expire' };
}

const processesMax = 500;

/** The sums of all processes from a day on, or on one day alone. Keys of a day begin with it, and so come after it. */
export async function readDays(scope: Scope, from: Day, only?: Day): Promise<RecordedDay> {
  const range = { limit: processesMax, after: from, ...(only === undefined ? {} : { prefix: only }) };
  const days = await recordedDays.range(scope, daysPartition, range);
  return days.reduce(
    (sum, { value }) => ({ rows: sum.rows + value.rows, not_recorded: sum.not_recorded + value.not_recorded }),
    { rows: 0, not_recorded: 0 },
  );
}

/** A row may have 15 KB, and what is read at a time is parsed at once. */
const rowsPerRead = 50;

/** The rows of a workspace from a day on, some at a time, those of the latest day first. */
export async function* eachRecorded(
  scope: Scope,
  tenantId: string,
  from: Day,
): AsyncGenerator<readonly Row<RecordedDecision>[]> {
  let before: { readonly before?: string } = {};
  for (;;) {
    const range = { after: from, ...before, reverse: true, limit: rowsPerRead };
    const rows = await recordedDecisions.range(scope, partitionOf(tenantId), range);
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsPerRead) return;
    before = { before: last.sk };
  }
}

function partitionOf(tenantId: string): string {
  return `decision;${tenantId}`;
}
