import { configArchiveType } from '@freehold/contract/archive/config-archive';
import { deployApi } from '@freehold/contract/management/deploy';
import type { ConfigItem } from '../../../config/port.ts';
import { Problem } from '../../../lib/problem.ts';
import { cooperatively } from '../../../lib/scheduling/cooperatively.ts';
import { archiveBytesMax, traitsOf } from '../../../promotion/port.ts';
import type { Environment } from '../../../tenancy/port.ts';
import { longJson } from '../../listening/long-json.ts';
import { occasionBy } from '../../pipeline/audit-context.ts';
import type { BodyStream } from '../../pipeline/body/body-stream.ts';
import { requireTest } from '../../pipeline/require-test.ts';
import type { Reply } from '../../reply.ts';
import { type DeployCaller, requireProd } from '../../routing/deploy-caller.ts';
import type { ManagementRoute } from '../../routing/management-route.ts';
import { type Received, serveReply } from '../../serve.ts';
import type { DeployServices } from './deploy.ts';

type ArchiveServices = Pick<DeployServices, 'promotion' | 'clock'>;

/** A whole configuration as a folder of files, so that it can live in a repository. */
export function deployArchiveRoutes(services: ArchiveServices): readonly ManagementRoute[] {
  return [
    serveReply(deployApi.exportConfig, ({ query }, caller) => exportArchive(services, query.env, caller)),
    serveReply(deployApi.importConfig, (request, caller) => importArchive(services, request, caller)),
  ];
}

async function exportArchive({ promotion }: ArchiveServices, env: Environment, caller: DeployCaller): Promise<Reply> {
  if (env === 'prod') requireProd(caller);
  const { code } = caller.org;
  const stream = cooperatively(await promotion.archive(code, env));
  const headers = { 'Content-Disposition': `attachment; filename="${code}-${env}.tar"` };
  return { status: 200, stream, contentType: configArchiveType, headers };
}

async function importArchive(
  { promotion, clock }: ArchiveServices,
  request: Received<typeof deployApi.importConfig>,
  caller: DeployCaller,
): Promise<Reply> {
  const { query, stream } = request;
  const { env, base, remove, force } = query;
  if (stream === undefined) throw new TypeError('the route takes a stream');
  requireTest(env);
  const asked = { orgCode: caller.org.code, auditContext: occasionBy(clock, request, caller) };
  const options = {
    base,
    removes: remove,
    force,
    refusalOf: (item: ConfigItem) => refusalOf(caller, item),
  };
  return longJson(200, await promotion.importArchive(asked, await readWhole(stream), options));
}

function refusalOf({ role, carriesSettings }: DeployCaller, item: ConfigItem): Problem | undefined {
  const { needsAdmin, singular } = traitsOf(item);
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
