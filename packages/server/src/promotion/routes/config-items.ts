import { configItemsApi } from '@freehold/contract/management/config-items';
import { requireTest } from '../../api/environments.ts';
import { readPreconditions } from '../../api/headers/preconditions.ts';
import { json, type Reply } from '../../api/reply.ts';
import type { RequestEnvelope } from '../../api/request.ts';
import type { AnyRoute, Callers } from '../../api/route.ts';
import { serve, serveReply } from '../../api/serve.ts';
import { type ConfigItem, type ConfigItemKind, configItemKinds } from '../../config/port.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import { entityTag } from '../../records/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import type { PromotionRouteDeps } from './deps.ts';

/** Config items of every kind, by kind and name. Reads take `?env=prod` too; a builder changes `test`. */
export function configItemRoutes(services: PromotionRouteDeps): readonly AnyRoute[] {
  return [...readingRoutes(services), ...versionRoutes(services), ...writingRoutes(services)];
}

function readingRoutes({ items }: PromotionRouteDeps): readonly AnyRoute[] {
  return [
    serve(configItemsApi.listConfigKinds, async ({ query }, { org }) => {
      return { items: await items.kinds(query.env, org.code) };
    }),
    serve(configItemsApi.listConfigItems, ({ params, query }, { org }) => {
      const { env, pagesize: pageSize, nexttoken } = query;
      return items.list({ env, orgCode: org.code, kind: readKind(params.kind), pageSize, nexttoken });
    }),
    serveReply(configItemsApi.readConfigItem, async ({ params, query }, { org }) => {
      const asked = { env: query.env, orgCode: org.code, item: readItem(params), references: query.references };
      const shown = await items.show(asked);
      // What refers to an item changes without its version.
      return query.references ? json(200, shown) : withTag(200, shown);
    }),
  ];
}

/** Earlier versions of items of test; those of production are in its releases. */
function versionRoutes({ items }: PromotionRouteDeps): readonly AnyRoute[] {
  return [
    serve(configItemsApi.listItemVersions, ({ params, query }, { org }) => {
      const { env, pagesize: pageSize, nexttoken } = query;
      requireHistory(env);
      return items.versions(org.code, readItem(params), { pageSize, nexttoken });
    }),
    serve(configItemsApi.readItemVersion, ({ params, query: { env, compare } }, { org }) => {
      requireHistory(env);
      const version = versionOf(params.version);
      if (version === undefined) throw notFound();
      return items.version({ orgCode: org.code, item: readItem(params), version, compare: readCompare(compare) });
    }),
  ];
}

function writingRoutes({ items }: PromotionRouteDeps): readonly AnyRoute[] {
  const writing = (request: WritingRequest, caller: Callers['developer']) => {
    const { query, params, head } = request;
    requireTest(query.env);
    const kind = readKind(params.kind);
    if (items.needsAdmin(kind)) requireAdmin(kind, caller);
    const asked = caller.command;
    return { kind, asked, ...readPreconditions(head), force: query.force === true };
  };
  return [
    serveReply(configItemsApi.makeConfigItem, async (request, caller) => {
      const { kind, asked } = writing(request, caller);
      const { name, content } = request.body;
      const made = await items.create(asked, { item: { kind, name }, content });
      return withTag(201, made, { Location: `/config/${kind}/${name}` });
    }),
    serveReply(configItemsApi.replaceConfigItem, async (request, caller) => {
      const { asked, ...how } = writing(request, caller);
      const change = { ...how, item: readItem(request.params), content: request.body };
      return withTag(200, await items.replace(asked, change));
    }),
    serve(configItemsApi.removeConfigItem, async (request, caller) => {
      const { asked, ...how } = writing(request, caller);
      await items.remove(asked, { ...how, item: readItem(request.params) });
    }),
    serveReply(configItemsApi.restoreConfigItem, async (request, caller) => {
      const { asked, ...how } = writing(request, caller);
      const change = { ...how, item: readItem(request.params), version: request.body.version };
      return withTag(200, await items.restore(asked, change));
    }),
  ];
}

interface WritingRequest extends RequestEnvelope {
  readonly params: { readonly kind: string };
  readonly query: { readonly env: Environment; readonly force?: boolean };
}

function readKind(text: string): ConfigItemKind {
  const kind = configItemKinds.find((one) => one === text);
  if (kind === undefined) throw notFound();
  return kind;
}

function readItem({ kind, name }: { readonly kind: string; readonly name: string }): ConfigItem {
  return { kind: readKind(kind), name };
}

function requireAdmin(kind: ConfigItemKind, { role }: Callers['developer']): void {
  if (role !== 'org_admin') throw new Problem('role_required', `${kind} need the role \`org_admin\``);
}

function requireHistory(env: string): void {
  if (env === 'prod')
    throw new Problem('invalid_request', 'items have versions in test only: see `GET /deploy/history` for production');
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

function readCompare(compare: number | 'active' | string | undefined): number | 'active' | undefined {
  if (compare === undefined || compare === 'active') return compare;
  const version = versionOf(String(compare));
  if (version === undefined) throw new Problem('invalid_request', '`compare` must be a version or `active`');
  return version;
}
