/** How the work of automation lies in the org's scope of an environment, beside the calls. Nothing here knows an org. */
import type { Item, Scope } from '../../store/port.ts';
import { json, table } from '../../store/table.ts';
import type { Day } from '../calendar.ts';
import { dayForm, itemsFrom, type UnreadableRow, workPartition } from '../usage-rows.ts';

/** What is counted of a day: runs that were begun, attempts at deliveries, milliseconds of scripts, mails. */
export const works = ['runs', 'deliveries', 'script_ms', 'mails'] as const;

export type Work = (typeof works)[number];

export type WorkDone = Readonly<Record<Work, number>>;

export const noWork: WorkDone = { runs: 0, deliveries: 0, script_ms: 0, mails: 0 };

/** A row of a node is written again and again; without a node it is what became of all rows of its day. */
export interface WorkRow {
  readonly item: Item;
  readonly day: Day;
  readonly node: string | undefined;
  readonly done: WorkDone;
}

export const workDone = table(
  ({ day, node }: { readonly day: Day; readonly node?: string }) => ({
    pk: workPartition,
    sk: node === undefined ? day : `${day}#${node}`,
  }),
  json<WorkDone>('row of work', {}),
);

/** From a day on, in the order of the days. */
export async function readWork(scope: Scope, from: Day): Promise<readonly WorkRow[]> {
  const rows: WorkRow[] = [];
  for await (const item of itemsFrom(scope, workPartition, from)) rows.push(workRow(scope, item));
  return rows;
}

/** What cannot be read as a row of work. */
export async function* unreadableWork(scope: Scope, from: Day): AsyncGenerator<UnreadableRow> {
  for await (const item of itemsFrom(scope, workPartition, from))
    if (!isSound(scope, item))
      yield { day: item.sk.slice(0, 'YYYY-MM-DD'.length), place: `${workPartition} ${JSON.stringify(item.sk)}` };
}

function isSound(scope: Scope, item: Item): boolean {
  try {
    const { day, done } = workRow(scope, item);
    return dayForm.test(day) && works.every((work) => Number.isSafeInteger(done[work]) && done[work] >= 0);
  } catch {
    return false;
  }
}

function workRow(scope: Scope, item: Item): WorkRow {
  const [day = '', node] = item.sk.split('#');
  return { item, day, node, done: workDone.row(scope, item).value };
}

export function addWork(left: WorkDone, right: WorkDone): WorkDone {
  return {
    runs: left.runs + right.runs,
    deliveries: left.deliveries + right.deliveries,
    script_ms: left.script_ms + right.script_ms,
    mails: left.mails + right.mails,
  };
}
