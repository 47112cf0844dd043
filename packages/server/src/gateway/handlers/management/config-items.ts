import {
  type ConfigItem,
  type ConfigItemKind,
  configItemKinds,
  isObject,
  unknownMembers,
  wrong,
} from '../../../config/port.ts';
import type { OrgCaller } from '../../../identity/port.ts';
import type { Clock } from '../../../lib/clock.ts';
import { invalidBody, notFound, Problem } from '../../../lib/problem.ts';
import type { ConfigItems } from '../../../promotion/port.ts';
import { entityTag } from '../../../records/port.ts';
import type { ManagementRoute } from '../../management-route.ts';
import { readFlag, readParameters, requireTest } from '../../pipeline/management-query.ts';
import { occasionOf } from '../../pipeline/occasion.ts';
import { readPageSize } from '../../pipeline/page-size.ts';
import { readPreconditions } from '../../pipeline/preconditions.ts';
import { json, type Reply } from '../../reply.ts';
import type { GatewayRequest } from '../../request.ts';

export interface ConfigItemServices {
  readonly items: ConfigItems;
  readonly clock: Clock;
}

/** Config items of every kind, by kind and name. Reads take `?env=prod` too; a builder changes `test`. */
export function configItemRoutes(services: ConfigItemServices): readonly ManagementRoute[] {
  return [...readingRoutes(services), ...versionRoutes(services), ...writingRoutes(services)];
}

function readingRoutes({ items }: ConfigItemServices): readonly ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/config',
      access: 'developer',
      handle: async ({ query }, { org }) => {
        const { env } = readParameters(query, []);
        return json(200, { items: await items.kinds(env, org.code) });
      },
    },
    {
      method: 'GET',
      path: '/config/:kind',
      access: 'developer',
      handle: async (request, { org }) => {
        const { env, pagesize, nexttoken } = readParameters(request.query, [], paging);
        const kind = readKind(request);
        const asked = { env, orgCode: org.code, kind, pageSize: readPageSize(pagesize), nexttoken };
        return json(200, await items.list(asked));
      },
    },
    {
      method: 'GET',
      path: '/config/:kind/:name',
      access: 'developer',
      handle: async (request, { org }) => {
        const { env } = readParameters(request.query, []);
        return withTag(200, await items.show(env, org.code, readItem(request)));
      },
    },
  ];
}

/** What items of test were: those of production are told by its releases. */
function versionRoutes({ items }: ConfigItemServices): readonly ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/config/:kind/:name/versions',
      access: 'developer',
      handle: async (request, { org }) => {
        const { env, pagesize, nexttoken } = readParameters(request.query, [], paging);
        requireHistory(env);
        const page = { pageSize: readPageSize(pagesize), nexttoken };
        return json(200, await items.versions(org.code, readItem(request), page));
      },
    },
    {
      method: 'GET',
      path: '/config/:kind/:name/versions/:version',
      access: 'developer',
      handle: async (request, { org }) => {
        const { env, compare } = readParameters(request.query, [], ['compare']);
        requireHistory(env);
        const version = versionOf(request.params.version ?? '');
        if (version === undefined) throw notFound();
        const item = readItem(request);
        return json(200, await items.version({ orgCode: org.code, item, version, compare: readCompare(compare) }));
      },
    },
  ];
}

function writingRoutes({ items, clock }: ConfigItemServices): readonly ManagementRoute[] {
  const writing = (request: GatewayRequest, caller: OrgCaller, parameters: readonly 'force'[] = []) => {
    requireTest(request.query);
    const { force } = readParameters(request.query, [], parameters);
    const kind = readKind(request);
    requireRole(kind, caller);
    const asked = { orgCode: caller.org.code, occasion: occasionOf(clock, request, caller) };
    return { kind, asked, ...readPreconditions(request.incoming), force: readFlag('force', force) };
  };
  return [
    {
      method: 'POST',
      path: '/config/:kind',
      access: 'developer',
      takesBody: true,
      handle: async (request, caller) => {
        const { kind, asked } = writing(request, caller);
        const { name, content } = readNamed(request.body);
        const made = await items.create(asked, { item: { kind, name }, content });
        return withTag(201, made, { Location: `/config/${kind}/${name}` });
      },
    },
    {
      method: 'PUT',
      path: '/config/:kind/:name',
      takesTags: true,
      access: 'developer',
      takesBody: true,
      handle: async (request, caller) => {
        const { asked, ...how } = writing(request, caller, ['force']);
        const change = { ...how, item: readItem(request), content: request.body };
        return withTag(200, await items.replace(asked, change));
      },
    },
    {
      method: 'DELETE',
      path: '/config/:kind/:name',
      takesTags: true,
      access: 'developer',
      handle: async (request, caller) => {
        const { asked, ...how } = writing(request, caller);
        await items.remove(asked, { ...how, item: readItem(request) });
        return { status: 204 };
      },
    },
    {
      method: 'POST',
      path: '/config/:kind/:name/restore',
      takesTags: true,
      access: 'developer',
      takesBody: true,
      handle: async (request, caller) => {
        const { asked, ...how } = writing(request, caller, ['force']);
        const change = { ...how, item: readItem(request), version: readRestore(request.body) };
        return withTag(200, await items.restore(asked, change));
      },
    },
  ];
}

const paging = ['pagesize', 'nexttoken'] as const;

function readKind({ params }: GatewayRequest): ConfigItemKind {
  const kind = configItemKinds.find((one) => one === params.kind);
  if (kind === undefined) throw notFound();
  return kind;
}

function readItem(request: GatewayRequest): ConfigItem {
  return { kind: readKind(request), name: request.params.name ?? '' };
}

/** Every setting that there is decides who gets in, so an admin changes them. */
function requireRole(kind: ConfigItemKind, { role }: OrgCaller): void {
  if (kind === 'settings' && role !== 'org_admin')
    throw new Problem('role_required', 'settings need the role `org_admin`');
}

function requireHistory(env: string): void {
  if (env === 'prod')
    throw new Problem('invalid_request', 'versions are of test: those of production are in `GET /deploy/history`');
}

function withTag(
  status: number,
  item: { readonly version: number },
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return json(status, item, { ...headers, ETag: entityTag(item.version) });
}

function versionOf(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

function readCompare(text: string | undefined): number | 'active' | undefined {
  if (text === undefined || text === 'active') return text;
  const version = versionOf(text);
  if (version === undefined) throw new Problem('invalid_request', '`compare` must be a version or `active`');
  return version;
}

function readNamed(body: unknown): { readonly name: string; readonly content: unknown } {
  if (!isObject(body)) throw invalidBody(wrong('an item is an object with `name` and `content`').errors);
  const errors = [...unknownMembers(body, ['name', 'content'])];
  const { name, content } = body;
  if (typeof name !== 'string' || name === '')
    errors.push(...wrong('`name` must be the name of the item', '/name').errors);
  if (!Object.hasOwn(body, 'content')) errors.push(...wrong('`content` is needed', '/content', 'required').errors);
  if (errors.length > 0 || typeof name !== 'string') throw invalidBody(errors);
  return { name, content };
}

function readRestore(body: unknown): number {
  if (!isObject(body)) throw invalidBody(wrong('what is brought back is an object with `version`').errors);
  const errors = [...unknownMembers(body, ['version'])];
  const { version } = body;
  const isVersion = typeof version === 'number' && Number.isSafeInteger(version) && version > 0;
  if (!isVersion) errors.push(...wrong('`version` must be the number of a version', '/version').errors);
  if (errors.length > 0 || !isVersion) throw invalidBody(errors);
  return version;
}
