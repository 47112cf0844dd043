import { type Occasion, platformAuditEntry } from '../../audit/audit-entry.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import { Conflict, type Scope } from '../../store/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import { type EnvironmentAccess, newClientId, type Org, orgKey } from './org-directory.ts';

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
  const [item] = await platform.get([orgKey(orgCode)]);
  if (item === undefined || !isEnvironment(env)) throw notFound();
  const org = JSON.parse(item.value) as Org;
  const held = org.environments[env];
  if (held === null) throw notFound();
  const until = timestamp(clock.now() + overlapMilliseconds);
  const access = { ...held, client_id: newClientId(env), previous: { client_id: held.client_id, until } };
  const value = JSON.stringify({ ...org, environments: { ...org.environments, [env]: access } });
  try {
    await platform.commit([
      { kind: 'put', ...orgKey(orgCode), value, if: { version: item.version } },
      platformAuditEntry(orgCode, occasion, { action: 'client_id.rotated', env }),
    ]);
    return access;
  } catch (conflict) {
    if (conflict instanceof Conflict) throw new Problem('conflict', 'the org was just changed: try again');
    throw conflict;
  }
}

function isEnvironment(env: string): env is Environment {
  return env === 'test' || env === 'prod';
}
