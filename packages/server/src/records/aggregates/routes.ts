import { recordRoutes as described } from '@freehold/contract/app/records';
import type { InputError } from '@freehold/contract/problem';
import type { Reply } from '../../api/reply.ts';
import type { GatewayRequest } from '../../api/request.ts';
import type { RoutesOfModule, ServedRoute } from '../../api/route.ts';
import { invalidInput } from '../../lib/problem.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import { shareKeyOf } from '../../tenancy/port.ts';
import type { AuthorizedCall } from '../caller-access.ts';
import { filterTargets } from '../filtering/filter-lookups.ts';
import type { Cursors } from '../listing/cursor.ts';
import { type ListRoute, nameIn, parameter, withPlainNames } from '../listing/list-parameters.ts';
import type { ListQuery } from '../listing/list-query.ts';
import { scopeToCaller } from '../listing/list-scope.ts';
import { bothPolicies, isReadable } from '../record-policy.ts';
import { untilGone } from '../routes/until-gone.ts';
import { assertNotDenied } from '../writing/record-checks.ts';
import { type AggregateQuery, choosingParameters, readAggregateQuery } from './aggregate-query.ts';
import type { MeasuringDeps } from './aggregate-run.ts';
import { type BoundValues, groupText, havingGroups, orderedGroups, pageOf, shownGroups } from './group-page.ts';
import { measureGroups } from './measure-groups.ts';

interface AggregatesDeps {
  readonly runtime: {
    query(call: AuthorizedCall, parameters: ReadonlyMap<string, string>, route?: ListRoute): Promise<ListQuery>;
  };
  readonly cursors: Cursors;
}

interface AggregatesOpen {
  readonly runtime: { aggregate(call: AuthorizedCall, parameters: ReadonlyMap<string, string>): Promise<Reply> };
}

/** The route that gives figures of groups of records. */
export const aggregates = {
  open: ({ runtime }: AggregatesOpen): { readonly routes: RoutesOfModule } => {
    const route: ServedRoute<'list'> = {
      ...described.aggregate,
      handle: (request, call) => runtime.aggregate(untilGone(call, request), request.query),
    };
    return { routes: { app: [route] } };
  },
};

/** What the steps of a block ask beside what a request says. */
export interface AsksMore {
  readonly bound?: BoundValues;
  /** So many pages are one. */
  readonly pages?: number;
}

export async function aggregate(
  deps: AggregatesDeps & MeasuringDeps,
  { query: sent, bound, pages = 1 }: Pick<GatewayRequest, 'query'> & AsksMore,
  called: AuthorizedCall,
): Promise<Reply> {
  const { entity } = called;
  // The figures tell of the records that a list shows: what denies the one denies the other.
  const listed = called.access.rows({ verb: 'list', entity });
  const call: AuthorizedCall = { ...called, rows: assertNotDenied(bothPolicies(called.rows, listed)) };
  const parameters = withPlainNames(sent, entity);
  const group = parameter({ parameters, entity }, 'group') ?? '';
  const { entities: targets } = await filterTargets(call, group);
  const query = readAggregateQuery({ entity, targetOf: (name) => targets.get(name) }, parameters);
  const chosen = await deps.runtime.query(call, choosingParameters(entity, parameters), 'aggregate');
  const list = scopeToCaller(call, chosen);
  assertReadable(call, query);
  const { workspace, actor } = call;
  const caller = [workspace.env, workspace.orgCode, workspace.tenantId, actor.userId];
  const binding = ['aggregate', ...caller, entity.name, list.canonical, query.canonical];
  const start = query.nexttoken === undefined ? undefined : deps.cursors.open(query.nexttoken, binding);
  const measured = await measureGroups(deps, call, { list, query });
  const { groups, notes } = shownGroups(query, measured);
  const kept = await havingGroups({ entity, query, bound }, groups, createYielder(shareKeyOf(workspace)));
  const { items, position } = pageOf(orderedGroups(query.order, kept), query.pageSize * pages, start);
  const isWhole = measured.partial === undefined;
  const nexttoken = position === undefined || !isWhole ? null : deps.cursors.seal(position, binding);
  const partial = isWhole ? '' : `,"partial":true,"partial_reason":"${measured.partial}"`;
  const noted = notes.length === 0 ? '' : `,"notes":${JSON.stringify(notes)}`;
  const explained = list.wantsExplanation
    ? `,"explain":${JSON.stringify({ aggregate: measured.aggregate ?? null })}`
    : '';
  const texts = items.map((one) => groupText(query, one)).join();
  const ending = `${partial}${noted}${explained}`;
  return { status: 200, body: `{"items":[${texts}],"nexttoken":${JSON.stringify(nexttoken)}${ending}}` };
}

/**
 * Figures tell of the values of all records together, so the caller has to be allowed to read each field in every record.
 * That is asked of the policies, and of no record. @throws Problem `invalid_request`.
 */
function assertReadable({ rows, entity }: AuthorizedCall, { groups, measures }: AggregateQuery): void {
  const errors = [
    ...groups.map(({ field, sent }) => ({ parameter: 'group' as const, field, sent })),
    ...measures.flatMap((term) =>
      term.kind === 'count' ? [] : [{ parameter: 'measure' as const, field: term.field, sent: term.sent }],
    ),
  ]
    .filter(({ field }) => !isReadable(rows?.sureFields, field))
    .map(({ parameter, sent }): InputError => {
      const name = nameIn(entity, parameter);
      const message = `\`${name}\` takes no field \`${sent}\` here, since the caller may not read it in every record`;
      return { pointer: `/${name}`, code: 'not_readable', message };
    });
  if (errors.length > 0) throw invalidInput('invalid_request', errors);
}
