/** Flows of writing routes of which none is written: the recorded example of the route is sent, and read back. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { recordedExamples } from '../../../gateway/openapi/examples/recorded-examples.ts';
import type { JsonSchema } from '../../../lib/json-schema.ts';
import { type Listed, pathOf } from '../../worst-cases/rows/default-row.ts';
import { keyOf, routesOf } from '../../worst-cases/rows/every-route.ts';
import { operatorKey } from '../faulty-platform.ts';
import { call, type Fixture, newEmail, type Reply, random } from '../fixture.ts';
import type { Flow, Flows } from './flow.ts';

type Members = Readonly<Record<string, unknown>>;

/** They change nothing, which their descriptions do not say. */
const reads = ['POST /acl/lint', 'POST /acl/simulate', 'POST /org/providers/discover', 'POST /org/providers/test'];

/** They write files beside the stores, and to the stores the entries of the audit log alone. `backups.test.ts` of the acceptance tests ends platforms in the middle. */
const writeFiles = ['DELETE /platform/backups/:name', 'POST /platform/backups', 'POST /platform/backups/:name/test'];

/** A new person joins a workspace by it. */
const writesByGet = ['GET /app/:org/token'];

const routes = new Map<string, Listed>(
  [...routesOf.app, ...routesOf.management].map((listed) => [keyOf(listed), listed]),
);
const examples = { ...recordedExamples('app'), ...recordedExamples('management') };

export const writingRoutes: readonly string[] = [...routes]
  .filter(
    ([key, { method, route }]) =>
      method !== 'GET' && route?.isRead !== true && ![...reads, ...writeFiles].includes(key),
  )
  .map(([key]) => key)
  .concat(writesByGet);

interface Described {
  readonly flows: Flows;
  /** Of each route for which neither a flow is written nor one can be made. */
  readonly mistakes: readonly string[];
}

export function describedFlows(written: ReadonlySet<string>): Described {
  const flows: Record<string, Flow> = {};
  const mistakes: string[] = [];
  for (const key of writingRoutes.filter((one) => !written.has(one))) {
    const listed = routes.get(key);
    const why = listed === undefined ? 'it is none of the routes' : whyNot(key, listed);
    if (why !== undefined) mistakes.push(`${key}: ${why}; write a flow of it in faults/flows`);
    else if (listed !== undefined) flows[key] = flowOf(key, listed);
  }
  return { flows, mistakes };
}

/** Why the example of a route says too little for a flow. */
function whyNot(key: string, { method, path, route }: Listed): string | undefined {
  if (readingOf(path, method) === undefined) return 'no route reads what it writes';
  const isRemoval = method === 'DELETE';
  const example = exampleOf(isRemoval ? `PUT ${path}` : key);
  if (example === undefined) return isRemoval ? 'no route puts there what it removes' : 'it has no example of a body';
  const isAlike = isDeepStrictEqual(varied(example, route), example);
  if (method === 'PUT' && isAlike && !routes.has(`DELETE ${path}`)) return 'its example has no text to tell calls by';
  return undefined;
}

function exampleOf(key: string): Members | undefined {
  return examples[key]?.request as Members | undefined;
}

/** The route that shows what is written: that of the same path, or a list of what is there beside it. */
function readingOf(path: string, method: string): { readonly path: string; readonly isList: boolean } | undefined {
  if (routes.has(`GET ${path}`)) return { path, isList: method === 'POST' };
  const parent = path.replace(/\/:\w+$/, '');
  return parent !== path && routes.has(`GET ${parent}`) ? { path: parent, isList: true } : undefined;
}

function flowOf(key: string, listed: Listed): Flow {
  const { method, path } = listed;
  const putting = routes.get(`PUT ${path}`);
  const prepare: Flow['prepare'] = async (fixture) => {
    const act = (verb: string, body?: unknown) => send(fixture, listed, { method: verb, path, body });
    const isRemoval = method === 'DELETE';
    const body = varied(exampleOf(isRemoval ? `PUT ${path}` : key) ?? {}, isRemoval ? putting?.route : listed.route);
    if (isRemoval) assert.ok((await act('PUT', body)).status < 300, `PUT ${path} puts nothing there`);
    else if (method === 'PUT' && routes.has(`DELETE ${path}`)) await act('DELETE');
    return {
      send: () => act(method, isRemoval ? undefined : body),
      ...(method === 'PUT' ? {} : { already: isRemoval ? 404 : 409 }),
      check: async () => {
        const count = await countShown(fixture, listed, body);
        // A POST whose reply was lost makes a second one where it is repeated.
        assert.ok(
          isRemoval ? count === 0 : count === 1 || (method === 'POST' && count === 2),
          `it is there ${count} times`,
        );
      },
    };
  };
  return { route: key, prepare };
}

/** The number of times that it is there, with all that the reply shows of the body. */
async function countShown(fixture: Fixture, listed: Listed, body: Members): Promise<number> {
  const reading = readingOf(listed.path, listed.method) ?? assert.fail();
  const { status, body: shown } = await send(fixture, listed, { method: 'GET', path: reading.path });
  if (status === 404) return 0;
  assert.equal(status, 200);
  const own = pathOf(listed.path, fixture.org.code).split('/').at(-1);
  const items = (reading.isList ? shown.items : [shown]) as unknown as readonly Members[];
  const isOwn = (item: Members): boolean => !reading.isList || listed.method === 'POST' || nameOf(item) === own;
  return items.filter((item) => isOwn(item) && (listed.method === 'DELETE' || isShownBy(item, body))).length;
}

function nameOf({ name, id, code }: Members): unknown {
  return name ?? id ?? code;
}

function isShownBy(item: Members, body: Members): boolean {
  const shown = Object.keys(body).filter((member) => Object.hasOwn(item, member));
  return shown.length > 0 && shown.every((member) => isDeepStrictEqual(item[member], body[member]));
}

/** Texts of which nothing is demanded become others, so that no call is taken for an earlier one. */
function varied(example: Members, route: Listed['route']): Members {
  const schemas: Readonly<Record<string, JsonSchema>> = route?.body?.properties ?? {};
  const other = (member: string, value: unknown): unknown => {
    const { type, format, pattern, enum: listed } = schemas[member] ?? {};
    if (type !== 'string' || pattern !== undefined || listed !== undefined) return value;
    if (format === 'email') return newEmail();
    return format === undefined ? random() : value;
  };
  return Object.fromEntries(Object.entries(example).map(([member, value]) => [member, other(member, value)]));
}

interface FlowRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

function send(
  { org, act, platform }: Fixture,
  { access }: Listed,
  { method, path, body }: FlowRequest,
): Promise<Reply> {
  if (path.startsWith('/app/')) return act(method, pathOf(path, org.code).replace(`/app/${org.code}`, ''), body);
  const target = pathOf(path, org.code);
  if (access === 'operator')
    return call(method, platform.management + target, { authorization: `Bearer ${operatorKey}` }, body);
  return org.manage(method, target, body);
}
