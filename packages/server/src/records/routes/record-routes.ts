import { recordRoutes as described } from '@freehold/contract/app/records';
import { forcedEntityNames } from '@freehold/contract/system-entities';
import { isNoneMatch, readPreconditions } from '../../api/headers/preconditions.ts';
import { json, type Reply } from '../../api/reply.ts';
import type { GatewayRequest } from '../../api/request.ts';
import type { RoutesOfModule, ServedRoute } from '../../api/route.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import { refuseParameters } from '../../lib/query-string.ts';
import { facetsText, wantsFacets } from '../aggregates/facets.ts';
import type { AuthorizedCall, RecordVerb } from '../caller-access.ts';
import { presentExpanded } from '../expand/expand-records.ts';
import { type Expansion, readExpand } from '../expand/expand-tree.ts';
import { withPlainNames } from '../listing/list-parameters.ts';
import { scopeToCaller } from '../listing/list-scope.ts';
import { type Presentation, presentationOf, presentRecords, shownTag, writtenText } from '../present-records.ts';
import { entityTag, partTag, recordText, type StoredText } from '../record.ts';
import type { ReadableText } from '../record-policy.ts';
import type { RecordRouteDeps, RecordRuntime } from '../record-runtime.ts';
import { keyHolderOf, readOnce, replayedHeaders } from '../repeated-requests.ts';
import { batchRoutes } from './batch.ts';
import { untilGone } from './until-gone.ts';

export function recordRoutes(deps: RecordRouteDeps): RoutesOfModule {
  return { app: [...itemRoutes(deps), ...batchRoutes(deps)] };
}

function itemRoutes({ runtime, idempotency }: RecordRouteDeps): readonly ServedRoute<RecordVerb>[] {
  return [
    {
      ...described.create,
      isGated: true,
      takesBody: true,
      handle: (request, call) => create({ runtime, idempotency }, request, call),
    },
    {
      ...described.get,
      handle: (request, call) => item(runtime, request, call),
    },
    {
      ...described.update,
      takesTags: true,
      isGated: true,
      takesBody: true,
      handle: (request, call) => update(runtime, request, call),
    },
    {
      ...described.delete,
      takesTags: true,
      handle: (request, call) => remove(runtime, request, call),
    },
    {
      ...described.list,
      handle: (request, call) => list(runtime, request, untilGone(call, request)),
    },
    {
      ...described.count,
      handle: (request, call) => count(runtime, request, untilGone(call, request)),
    },
  ];
}

async function create(
  { runtime, idempotency }: RecordRouteDeps,
  request: GatewayRequest,
  call: AuthorizedCall,
): Promise<Reply> {
  const presentation = presentationOf(call, 'create', { view: readView(request) });
  const { userId, claims } = call.actor;
  const once = readOnce(idempotency, request, keyHolderOf(userId, claims.act));
  const stored = await runtime.create(call, request.body, once);
  const { org = '', entity = '' } = request.params;
  const headers = {
    Location: `/app/${org}/item/${entity}/${stored.data.id}`,
    ETag: entityTag(stored.version),
    ...(stored.isReplayed ? replayedHeaders : {}),
  };
  if (prefersMinimal(request))
    return json(201, { id: stored.data.id }, { ...headers, 'Preference-Applied': 'return=minimal' });
  const written = writtenText(call, stored, request.body);
  const body = await textOf(call, presentation, written);
  return { status: 201, body, headers: { ...headers, ETag: shownTag(presentation, written, body) } };
}

async function item(runtime: RecordRuntime, request: GatewayRequest, call: AuthorizedCall): Promise<Reply> {
  const query = readItemQuery(request);
  const presentation = presentationOf(call, 'get', query);
  const expansions = await expansionsOf(call, query.expand);
  const found = await runtime.get(call, request.params.id ?? '');
  if (found === undefined) throw notFound();
  if (expansions.length > 0) {
    const [body = ''] = await presentExpanded(runtime, call, { presentation, expansions, items: [found] });
    return { status: 200, body };
  }
  // Other records in a reply change without this record's version.
  if (presentation.isEnriched) return { status: 200, body: await textOf(call, presentation, found) };
  if (found.fields !== undefined) return partOf(request, await textOf(call, presentation, found), found);
  const headers = { ETag: entityTag(found.version, presentation.shape) };
  if (isNoneMatch(request.head, headers.ETag)) return { status: 304, headers };
  return { status: 200, body: await textOf(call, presentation, found), headers };
}

/** The data that are shown of a record in part changes with what its reader may see, and so does its tag. */
function partOf({ head }: GatewayRequest, body: string, { version }: StoredText): Reply {
  const headers = { ETag: partTag(version, body) };
  return isNoneMatch(head, headers.ETag) ? { status: 304, headers } : { status: 200, body, headers };
}

async function update(runtime: RecordRuntime, request: GatewayRequest, call: AuthorizedCall): Promise<Reply> {
  const presentation = presentationOf(call, 'update', { view: readView(request) });
  const stored = await runtime.update(call, {
    id: request.params.id ?? '',
    body: request.body,
    ...readPreconditions(request.head),
  });
  const written = writtenText(call, stored, request.body);
  const body = await textOf(call, presentation, written);
  return { status: 200, body, headers: { ETag: shownTag(presentation, written, body) } };
}

async function remove(runtime: RecordRuntime, request: GatewayRequest, call: AuthorizedCall): Promise<Reply> {
  const force = readForce(request);
  const input = { id: request.params.id ?? '', force, ...readPreconditions(request.head) };
  const job = await runtime.removeOrStart(call, input);
  if (job === undefined) return { status: 204 };
  return json(202, job, { Location: `/app/${request.params.org ?? ''}/jobs/${job.id}` });
}

async function list(runtime: RecordRuntime, request: GatewayRequest, call: AuthorizedCall): Promise<Reply> {
  const query = scopeToCaller(call, await runtime.query(call, request.query));
  const presentation = presentationOf(call, 'list', query);
  const expansions = await expansionsOf(call, query.expand);
  const facets = wantsFacets(request.query) ? await facetsText({ runtime }, call, request.query) : '';
  const page = await runtime.list(call, query);
  const total = query.wantsTotal ? `,"total":${JSON.stringify(await runtime.total(call, query, page))}` : '';
  const items =
    expansions.length === 0
      ? await presentRecords(call, presentation, page.items)
      : await presentExpanded(runtime, call, { presentation, expansions, items: page.items });
  const nexttoken = page.nexttoken === null ? 'null' : `"${page.nexttoken}"`;
  const partial = page.partialReason === undefined ? '' : `,"partial":true,"partial_reason":"${page.partialReason}"`;
  const explain = page.explain === undefined ? '' : `,"explain":${JSON.stringify(page.explain)}`;
  return {
    status: 200,
    body: `{"items":[${items.join(',')}],"nexttoken":${nexttoken}${partial}${total}${facets}${explain}}`,
  };
}

async function count(runtime: RecordRuntime, request: GatewayRequest, call: AuthorizedCall): Promise<Reply> {
  const query = scopeToCaller(call, await runtime.query(call, request.query, 'count'));
  return json(200, await runtime.count(call, query));
}

function expansionsOf(call: AuthorizedCall, expand: string | undefined): Promise<readonly Expansion[]> | [] {
  return expand === undefined ? [] : readExpand(call, expand);
}

function readItemQuery({ query: sent }: GatewayRequest) {
  const query = withPlainNames(sent);
  refuseParameters(query, ['view', 'fields', 'expand']);
  return { view: query.get('view'), fields: query.get('fields'), expand: query.get('expand') };
}

/** The one parameter of the routes that write a record. */
function readView({ query: sent }: GatewayRequest): string | undefined {
  const query = withPlainNames(sent);
  refuseParameters(query, ['view']);
  return query.get('view');
}

/** The one parameter of a removal, which two entities take. @throws Problem `invalid_request`. */
function readForce({ query, params: { entity = '' } }: GatewayRequest): boolean {
  refuseParameters(query, forcedEntityNames.includes(entity) ? ['force'] : []);
  const force = query.get('force') ?? 'false';
  if (force === 'true' || force === 'false') return force === 'true';
  throw new Problem('invalid_request', '`force` must be `true` or `false`');
}

/** Most replies are the stored text unchanged, which is there at once. */
function textOf(call: AuthorizedCall, presentation: Presentation, stored: ReadableText): string | Promise<string> {
  if (presentation.projection === 'stored' && stored.fields === undefined) return recordText(stored);
  return presentRecords(call, presentation, [stored]).then(([text = '']) => text);
}

function prefersMinimal(request: GatewayRequest): boolean {
  const prefer = request.head.headers.prefer;
  return typeof prefer === 'string' && prefer.split(',').some((part) => part.trim() === 'return=minimal');
}
