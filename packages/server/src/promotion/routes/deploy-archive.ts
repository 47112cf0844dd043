import { configArchiveType } from '@freehold/contract/archive/config-archive';
import { deployApi } from '@freehold/contract/management/deploy';
import { requireProd, requireTest } from '../../api/environments.ts';
import { longJson } from '../../api/long-json.ts';
import type { Reply } from '../../api/reply.ts';
import type { BodyStream } from '../../api/request.ts';
import type { AnyRoute, Callers } from '../../api/route.ts';
import { type Received, serveReply } from '../../api/serve.ts';
import type { ConfigItem } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import { cooperatively } from '../../lib/scheduling/cooperatively.ts';
import type { Environment } from '../../tenancy/port.ts';
import { archiveBytesMax } from '../archive/config-archive.ts';
import type { ConfigKind } from '../config-kind.ts';
import type { PromotionRouteDeps } from './deps.ts';

/** A whole configuration as a folder of files, so that it can live in a repository. */
export function deployArchiveRoutes(services: PromotionRouteDeps): readonly AnyRoute[] {
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
  const asked = caller.command;
  const options = {
    base,
    removes: remove,
    force,
    refusalOf: (item: ConfigItem, kind: ConfigKind) => refusalOf(caller, item, kind),
  };
  return longJson(200, await promotion.importArchive(asked, await readWhole(stream), options));
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
