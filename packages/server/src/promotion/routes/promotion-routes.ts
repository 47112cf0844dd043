import { configArchiveType } from '@freehold/contract/archive/config-archive';
import { configItemsApi } from '@freehold/contract/management/config-items';
import { deployApi } from '@freehold/contract/management/deploy';
import { requireProd, requireTest } from '../../api/environments.ts';
import { readPreconditions } from '../../api/headers/preconditions.ts';
import { longJson } from '../../api/long-json.ts';
import { mayReadProduction } from '../../api/production-values.ts';
import { json, type Reply } from '../../api/reply.ts';
import type { BodyStream, RequestEnvelope } from '../../api/request.ts';
import type { AnyRoute, Callers, RoutesOfModule } from '../../api/route.ts';
import { type Received, serve, serveReply } from '../../api/serve.ts';
import { type ConfigItem, type ConfigItemKind, configItemKinds } from '../../config/port.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import { cooperatively } from '../../lib/scheduling/event-loop.ts';
import { entityTag } from '../../records/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import { archiveBytesMax } from '../archive/config-archive.ts';
import type { ConfigKind } from '../config-kind.ts';
import type { ConfigItems, Promotion } from '../promotion.ts';
import { publishMistakes } from '../read-requests.ts';

export function promotionRoutes(deps: PromotionRouteDeps): RoutesOfModule {
  return { management: [...configItemRoutes(deps), ...deployRoutes(deps), ...deployArchiveRoutes(deps)] };
}

export interface PromotionRouteDeps {
  readonly promotion: Promotion;
  readonly items: ConfigItems;
  readonly templateApplications: {
    apply(command: Command & { readonly env: Environment }): Promise<{ readonly id: string }>;
  };
}

type Command = Callers['publish']['command'];

/** A change that needs production. @throws Problem `conflict` where there is none yet. */
function deployCommand(caller: Pick<Callers['publish'], 'org' | 'command'>): Command {
  requireProd(caller);
  return caller.command;
}

/** Config items of every kind, by kind and name. Reads take `?env=prod` too; a builder changes `test`. */
function configItemRoutes(services: PromotionRouteDeps): readonly AnyRoute[] {
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
      const request = { env: query.env, orgCode: org.code, item: readItem(params), references: query.references };
      const shown = await items.show(request);
      // The referring items change without the version of the item.
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
    const command = caller.command;
    return { kind, command, ...readPreconditions(head), force: query.force === true };
  };
  return [
    serveReply(configItemsApi.makeConfigItem, async (request, caller) => {
      const { kind, command } = writing(request, caller);
      const { name, content } = request.body;
      const made = await items.create(command, { item: { kind, name }, content });
      return withTag(201, made, { Location: `/config/${kind}/${name}` });
    }),
    serveReply(configItemsApi.replaceConfigItem, async (request, caller) => {
      const { command, ...how } = writing(request, caller);
      const change = { ...how, item: readItem(request.params), content: request.body };
      return withTag(200, await items.replace(command, change));
    }),
    serve(configItemsApi.removeConfigItem, async (request, caller) => {
      const { command, ...how } = writing(request, caller);
      await items.remove(command, { ...how, item: readItem(request.params) });
    }),
    serveReply(configItemsApi.restoreConfigItem, async (request, caller) => {
      const { command, ...how } = writing(request, caller);
      const change = { ...how, item: readItem(request.params), version: request.body.version };
      return withTag(200, await items.restore(command, change));
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

/** The way of configuration from test to production, and back. */
function deployRoutes(services: PromotionRouteDeps): readonly AnyRoute[] {
  return [...stagingRoutes(services), ...releaseRoutes(services), ...retiredRoutes(services)];
}

/** Production, and what is on its way there. */
function stagingRoutes({ promotion }: PromotionRouteDeps): readonly AnyRoute[] {
  return [
    serveReply(deployApi.readDiff, async (_request, caller) =>
      longJson(200, { items: await promotion.diff(deployCommand(caller).orgCode) }),
    ),
    serve(
      deployApi.publish,
      (request, caller) =>
        promotion.publish(deployCommand(caller), request.body, { showsRecords: mayReadProduction(caller) }),
      { mistakes: publishMistakes },
    ),
    serve(deployApi.readStaged, (_request, caller) =>
      promotion.staged(deployCommand(caller).orgCode, { showsRecords: mayReadProduction(caller) }),
    ),
    serve(deployApi.withdrawAll, async (_request, caller) => {
      await promotion.withdraw(deployCommand(caller));
    }),
    serve(deployApi.withdraw, async (request, caller) => {
      const { kind, name = '' } = request.params;
      const known = configItemKinds.find((one) => one === kind);
      if (known === undefined) throw notFound();
      await promotion.withdraw(deployCommand(caller), { kind: known, name });
    }),
  ];
}

/** The live release of production, and the earlier ones. */
function releaseRoutes(services: PromotionRouteDeps): readonly AnyRoute[] {
  const { promotion } = services;
  return [
    serve(deployApi.activate, async (request, caller) => {
      const command = deployCommand(caller);
      const { apply_templates: applies = false, ...body } = request.body ?? {};
      if (applies) requireOrgAdmin(caller);
      const activated = await promotion.activate(command, body);
      return applies ? applyTemplates(services, command, activated) : activated;
    }),
    serve(deployApi.rollback, (request, caller) => promotion.rollback(deployCommand(caller), request.body)),
    serveReply(deployApi.listReleases, async (request, caller) => {
      const { orgCode } = deployCommand(caller);
      const { pagesize: pageSize, nexttoken } = request.query;
      return longJson(200, await promotion.history(orgCode, { pageSize, nexttoken }));
    }),
    serveReply(deployApi.readRelease, async (request, caller) => {
      const { orgCode } = deployCommand(caller);
      const version = readVersion(request.params.version);
      const isCompared = request.query.compare !== undefined;
      return longJson(200, await (isCompared ? promotion.comparedRelease : promotion.release)(orgCode, version));
    }),
  ];
}

/** A key does not decide what members of workspaces may do. @throws Problem `role_required`. */
function requireOrgAdmin({ actor, role }: Callers['activate']): void {
  if (actor.kind !== 'org_user' || role !== 'org_admin')
    throw new Problem('role_required', '`apply_templates` needs the role `org_admin`, which no deploy key has');
}

/** The release is live by now, so a refusal is a check beside it. */
async function applyTemplates(
  { templateApplications }: PromotionRouteDeps,
  command: Command,
  activated: Awaited<ReturnType<Promotion['activate']>>,
) {
  try {
    const { id } = await templateApplications.apply({ ...command, env: 'prod' });
    return { ...activated, template_application: id };
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    const message = `the template is not applied to workspaces: ${problem.message}`;
    const check = { check: 'access', level: 'warning', message } as const;
    return { ...activated, checks: [...activated.checks, check], template_application: null };
  }
}

/** The records that production keeps of entities that it serves no more. */
function retiredRoutes({ promotion }: PromotionRouteDeps): readonly AnyRoute[] {
  return [
    serve(deployApi.listRetired, async (_request, caller) => ({
      items: await promotion.retired(deployCommand(caller).orgCode, 'entity'),
    })),
    serve(deployApi.removeRetired, async (request, caller) => {
      await promotion.removeRetired(deployCommand(caller), { kind: 'entity', name: request.params.name });
    }),
  ];
}

function readVersion(text: string): number {
  if (!/^[1-9][0-9]{0,11}$/.test(text)) throw notFound();
  return Number(text);
}

/** A whole configuration as a folder of files, so that it can live in a repository. */
function deployArchiveRoutes(services: PromotionRouteDeps): readonly AnyRoute[] {
  return [
    serveReply(deployApi.exportConfig, ({ query }, caller) => exportArchive(services, query.env, caller)),
    serveReply(deployApi.importConfig, (request, caller) => importArchive(services, request, caller)),
  ];
}

async function exportArchive(
  { promotion }: PromotionRouteDeps,
  env: Environment,
  caller: Callers['publish'],
): Promise<Reply> {
  if (env === 'prod') requireProd(caller);
  const { code } = caller.org;
  const stream = cooperatively(await promotion.archive(code, env));
  const headers = { 'Content-Disposition': `attachment; filename="${code}-${env}.tar"` };
  return { status: 200, stream, contentType: configArchiveType, headers };
}

async function importArchive(
  { promotion }: PromotionRouteDeps,
  request: Received<typeof deployApi.importConfig>,
  caller: Callers['publish'],
): Promise<Reply> {
  const { query, stream } = request;
  const { env, base, remove, force } = query;
  if (stream === undefined) throw new TypeError('the route takes a stream');
  requireTest(env);
  const command = caller.command;
  const options = {
    base,
    removes: remove,
    force,
    refusalOf: (item: ConfigItem, kind: ConfigKind) => refusalOf(caller, item, kind),
  };
  return longJson(200, await promotion.importArchive(command, await readWhole(stream), options));
}

function refusalOf(
  { role, carriesSettings }: Callers['publish'],
  item: ConfigItem,
  { needsAdmin, singular }: ConfigKind,
): Problem | undefined {
  if (needsAdmin !== true || role === 'org_admin') return undefined;
  if (carriesSettings === true && carriedSettings.test(item.name)) return undefined;
  return new Problem('role_required', `changing the ${singular} \`${item.name}\` needs the role \`org_admin\``);
}

/** None of the groups `auth` and `acl`: these say who may sign in, and how strictly policies are held to. */
const carriedSettings = /^(?:tenancy\.workspace_templates|mail\.[a-z_]+)$/;

async function readWhole({ bytes }: BodyStream): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of bytes) {
    size += piece.length;
    if (size > archiveBytesMax) throw new Problem('body_too_large', `an archive has at most ${archiveBytesMax} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
