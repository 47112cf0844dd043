/** Works out the figures of each group of a list's records, where they lie or by reading them. */
import type { AuthorizedCall } from '../caller-access.ts';
import type { ListQuery } from '../listing/list-query.ts';
import { planList } from '../listing/planning/list-plan.ts';
import type { AggregateQuery } from './aggregate-query.ts';
import {
  type MeasuredGroups,
  type MeasuringDeps,
  type Run,
  type Started,
  storedPath,
  termsOf,
} from './aggregate-run.ts';
import { byLookups, groupOverLookups } from './group-over-lookups.ts';
import { measureKept } from './kept/measure-kept.ts';
import { measureByReading } from './measure-by-reading.ts';
import { measureWhereStored } from './measure-where-stored.ts';

/** @throws Problem `invalid_request` where there are too many groups. */
export async function measureGroups(
  deps: MeasuringDeps,
  call: AuthorizedCall,
  { list, query }: { readonly list: ListQuery; readonly query: AggregateQuery },
): Promise<MeasuredGroups> {
  const byIds = byLookups(query);
  const run = { deps, call, startedAt: deps.elapsed() };
  const measured =
    (await measureKept(call, { list, query: byIds })) ?? (await measureRecords(run, { list, query: byIds }));
  return { ...(await groupOverLookups(run, query, measured)), aggregate: measured.aggregate };
}

async function measureRecords(
  started: Started,
  { list, query }: { readonly list: ListQuery; readonly query: AggregateQuery },
): Promise<MeasuredGroups> {
  const { call } = started;
  // Each part of the result is known to the caller, so no field orders the records that he may be unable to read.
  const plan = planList(call, list, { inAnyOrder: call.rows === undefined, isWhole: true });
  const run: Run = { ...started, plan, query };
  const isAskable =
    plan.question.isExact && termsOf(query).every(({ field }) => storedPath(call.entity, field) !== undefined);
  return (isAskable ? await measureWhereStored(run) : undefined) ?? measureByReading(run);
}
