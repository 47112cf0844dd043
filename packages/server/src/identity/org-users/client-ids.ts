import { type Occasion, platformAuditEntry } from '../../audit/audit-entry.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import type { Scope } from '../../store/port.ts';
import { tryCommit } from '../../store/transact.ts';
import type { Environment } from '../../tenancy/port.ts';
import { type EnvironmentAccess, newClientId, orgs } from './org-directory.ts';

const overlapMilliseconds = 24 * 60 * 60 * 1000;

/**
 * Gives an environment a new client id; the one before it is good for another day, and the one before that no more.
 * @throws Problem `not_found` where the org has no such environment, `conflict` where others rotate it too.
 */
export async function rotateClientId(
  { platform, clock }: { readonly platform: Scope; readonly clock: Clock },
  { orgCode, occasion }: { readonly orgCode: string; readonly occasion: Occasion },
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
    platformAuditEntry(orgCode, occasion, { action: 'client_id.rotated', env }),
  ]);
  if (isRotated) return access;
  throw new Problem('conflict', 'the org was just changed: try again');
}

function isEnvironment(env: string): env is Environment {
  return env === 'test' || env === 'prod';
}
