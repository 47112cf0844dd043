/** The environments of an org: the client ids by which apps name them, and how production comes to be. */
import { platformAuditEntry } from '../../audit/audit-entry.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import type { Scope } from '../../store/port.ts';
import { transact, tryCommit } from '../../store/transact.ts';
import type { Environment } from '../../tenancy/port.ts';
import type { OrgCommand } from './account.ts';
import { type EnvironmentAccess, newClientId, orgs } from './org-directory.ts';

interface EnvironmentDeps {
  readonly platform: Scope;
  readonly clock: Clock;
}

const overlapMilliseconds = 24 * 60 * 60 * 1000;

/**
 * Gives an environment a new client id; the one before it is good for another day, and the one before that no more.
 * @throws Problem `not_found` where the org has no such environment, `conflict` where others rotate it too.
 */
export async function rotateClientId(
  { platform, clock }: EnvironmentDeps,
  { orgCode, auditContext }: OrgCommand,
  env: string,
): Promise<EnvironmentAccess> {
  const row = await orgs.read(platform, orgCode);
  if (row === undefined || !isEnvironment(env)) throw notFound();
  const org = row.value;
  const held = org.environments[env];
  if (held === null) throw notFound();
  const until = timestamp(clock.now() + overlapMilliseconds);
  const access = { ...held, client_id: newClientId(env), previous: { client_id: held.client_id, until } };
  const isRotated = await tryCommit(platform, [
    orgs.replace(row, { ...org, environments: { ...org.environments, [env]: access } }),
    platformAuditEntry(orgCode, auditContext, { action: 'client_id.rotated', env }),
  ]);
  if (isRotated) return access;
  throw new Problem('conflict', 'the org was just changed: try again');
}

function isEnvironment(env: string): env is Environment {
  return env === 'test' || env === 'prod';
}

export interface ProvisionedProd {
  readonly environment: 'prod';
  readonly client_id: string;
  readonly provisioned_at: string;
  /** Whether this call created it. */
  readonly created: boolean;
}

/** Gives an org its production, which has a client id and nothing else yet; what is there already stays as it is. */
export async function provisionProd(
  { platform, clock }: EnvironmentDeps,
  { orgCode, auditContext }: OrgCommand,
): Promise<ProvisionedProd> {
  const plan = async () => {
    const row = await orgs.read(platform, orgCode);
    if (row === undefined) throw notFound();
    const { environments } = row.value;
    if (environments.prod !== null) return { prod: environments.prod, changes: [] };
    const prod: EnvironmentAccess = { client_id: newClientId('prod'), provisioned_at: timestamp(clock.now()) };
    const changes = [
      orgs.replace(row, { ...row.value, environments: { ...environments, prod } }),
      platformAuditEntry(orgCode, auditContext, { action: 'environment.provisioned', env: 'prod' }),
    ];
    return { prod, changes };
  };
  const { planned, committed } = await transact(platform, plan, { attemptsMax: Number.POSITIVE_INFINITY });
  const { client_id, provisioned_at = '' } = planned.prod;
  return { environment: 'prod', client_id, provisioned_at, created: committed !== undefined };
}
