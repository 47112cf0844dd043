/** Writes an entity's records into a file, as a list would show them to the caller. */
import type { ConfigReader, ConfigSet } from '../../config/port.ts';
import { csvLine } from '../../lib/formats/csv-line.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import { createYielder, scheduler } from '../../lib/scheduling/event-loop.ts';
import { shareKeyOf } from '../../tenancy/port.ts';
import type { AuthorizedCall } from '../caller-access.ts';
import type { ListQuery } from '../listing/list-query.ts';
import { type ListPlan, planList } from '../listing/planning/list-plan.ts';
import { openWalk } from '../listing/walking/list-walk.ts';
import { isExact, readable, stepsOf } from '../listing/walking/record-walk.ts';
import { type Presentation, presentRecords } from '../present-records.ts';
import { isReadable, type ReadableText } from '../record-policy.ts';
import { recordCells } from './csv.ts';
import type { TransferFormat } from './transfer-row.ts';

interface ExportRequest {
  readonly format: TransferFormat;
  readonly query: ListQuery;
  readonly presentation: Presentation;
  readonly configs: ConfigReader;
}

/**
 * The text of the file in pieces. An empty one says that records were looked through and none was found.
 * @throws Problem where the records can no longer be found, so that what there is of the file is not all of it.
 */
export async function* exportRecords(
  call: AuthorizedCall,
  { format, query, presentation, configs }: ExportRequest,
): AsyncGenerator<string> {
  const { projection } = presentation;
  const shown = projection === 'stored' ? call.entity.views.whole() : projection;
  const columns = shown.filter(({ field }) => isReadable(call.rows?.possibleFields, field));
  if (format === 'csv') yield csvLine(columns.map(({ as }) => as));
  for await (const items of pagesOf(call, query, configs)) {
    const texts = await presentRecords(call, presentation, items);
    yield texts.map((text) => (format === 'csv' ? csvLine(recordCells(columns, text)) : `${text}\n`)).join('');
    // Reads need not wait for anything, and others want to be served too.
    await scheduler.rejoin(shareKeyOf(call.workspace));
  }
}

const recordsPerPage = 100;

/** Every record of a list: walks that follow one another, each from where the one before has spent its budget. */
async function* pagesOf(
  call: AuthorizedCall,
  query: ListQuery,
  configs: ConfigReader,
): AsyncGenerator<readonly ReadableText[]> {
  const { workspace, entity } = call;
  const plan = planList(call, query, { isWhole: true });
  const pause = createYielder(shareKeyOf(workspace), () => stepsOf(plan));
  let position: string | undefined;
  for (;;) {
    const walk = await openWalk(workspace.scope, plan, position);
    while (!walk.isAtEnd() && !walk.isSpent()) {
      const entries = await walk.next(recordsPerPage);
      await assertServed(call, plan, await configs.current(workspace.orgCode));
      const items: ReadableText[] = [];
      for (const entry of entries) {
        const item = readable(plan, entity, entry);
        if (item !== undefined) items.push(item);
        if (!isExact(plan)) await pause();
      }
      yield items;
      const last = entries.at(-1);
      if (last !== undefined) walk.passed(last.sk);
    }
    if (walk.isAtEnd()) return assertServed(call, plan, await configs.refresh(workspace.orgCode));
    position = walk.position();
  }
}

/** A list is over before an index is taken apart that it reads by; an export may not be. */
async function assertServed({ config, entity }: AuthorizedCall, plan: ListPlan, latest: ConfigSet): Promise<void> {
  if (latest === config) return;
  if ((await latest.entity(entity.name)) === undefined) throw notFound();
  const { lookup, order, union } = plan;
  const walked = [
    ...(plan.isIndex ? [{ entity: entity.name, pk: plan.pk }] : []),
    ...(order === undefined ? [] : [order.others]),
    ...(union === undefined ? [] : [{ entity: entity.name, pk: union.own.pk }]),
    ...(lookup === undefined ? [] : [lookup.others, { entity: entity.name, pk: lookup.own.pk }]),
  ];
  for (const index of walked)
    if (!(await isServed(latest, index)))
      throw new Problem('conflict', 'an index that the export uses was removed: start the export again');
}

async function isServed(latest: ConfigSet, index: { readonly entity: string; readonly pk: string }): Promise<boolean> {
  const now = await latest.entity(index.entity);
  if (now === undefined) return false;
  const ready = [...now.indexes, ...now.searches, ...now.compounds].filter(({ isReady }) => isReady);
  return [now.idIndexPk, ...ready.map(({ pk }) => pk)].some((pk) => index.pk === pk || index.pk.startsWith(`${pk};`));
}
