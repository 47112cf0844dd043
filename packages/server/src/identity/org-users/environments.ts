/** The environments of an org: the client ids by which apps name them, and how production comes to be. */
import type { deployApi } from '@freehold/contract/management/deploy';
import type { ReplyOf } from '@freehold/contract/route';
import { platformAuditEntry } from '../../audit/audit-entry.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { emailKey } from '../../lib/formats/email-key.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import type { Scope } from '../../store/port.ts';
import { transact, tryCommit } from '../../store/transact.ts';
import type { Environment } from '../../tenancy/port.ts';
import { type AwaitingDeps, awaitedFounder, foundingState, moveFounderHead } from '../workspaces/first-admin.ts';
import type { OrgCommand } from './account.ts';
import { type EnvironmentAccess, newClientId, orgs, shownAccess } from './org-directory.ts';

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
  if (isRotated) return shownAccess(access);
  throw new Problem('conflict', 'the org was just changed: try again');
}

function isEnvironment(env: string): env is Environment {
  return env === 'test' || env === 'prod';
}

export type ProvisionedProd = ReplyOf<typeof deployApi.provisionProd>;

export interface Provisioning extends OrgCommand {
  /** The address that becomes the first admin; left out, it stays as it is. */
  readonly founderEmail: string | undefined;
  /** Of the builder: what a new production has where none is named. */
  readonly builderEmail: string;
}

/**
 * Gives an org its production, which has a client id and the address of its first admin, and nothing else yet. Of one that is
 * there the address alone is changed, until its person has come.
 * @throws Problem `conflict` where production has had its first admin.
 */
export async function provisionProd(
  deps: EnvironmentDeps & AwaitingDeps,
  { orgCode, auditContext, founderEmail, builderEmail }: Provisioning,
): Promise<ProvisionedProd> {
  const { platform, clock } = deps;
  const plan = async () => {
    const row = await orgs.read(platform, orgCode);
    if (row === undefined) throw notFound();
    const { environments } = row.value;
    const known = environments.prod;
    const named = known === null ? (founderEmail ?? builderEmail) : founderEmail;
    if (known !== null && (named === undefined || isSameAddress(named, known.founder_email)))
      return { prod: known, done: undefined, changes: [] };
    if (known !== null && (await foundingState(deps, orgCode)) === 'had') throw hasFirstAdmin();
    const made = known ?? { client_id: newClientId('prod'), provisioned_at: timestamp(clock.now()) };
    const prod: EnvironmentAccess = { ...made, ...(named === undefined ? {} : { founder_email: named }) };
    const done = known === null ? 'provisioned' : 'founder_named';
    const changes = [
      orgs.replace(row, { ...row.value, environments: { ...environments, prod } }),
      platformAuditEntry(orgCode, auditContext, { action: `environment.${done}`, env: 'prod' }),
    ];
    return { prod, done, changes };
  };
  const { planned } = await transact(platform, plan, { attemptsMax: Number.POSITIVE_INFINITY });
  if (planned.done === 'founder_named' && !(await moveFounderHead(deps, orgCode))) throw hasFirstAdmin();
  const { client_id, provisioned_at = '' } = planned.prod;
  const awaited_founder = await awaitedFounder(deps, orgCode);
  return {
    ...{ environment: 'prod', client_id, provisioned_at, created: planned.done === 'provisioned' },
    ...(awaited_founder === undefined ? {} : { awaited_founder }),
  };
}

function isSameAddress(one: string, other: string | undefined): boolean {
  return other !== undefined && emailKey(one) === emailKey(other);
}

function hasFirstAdmin(): Problem {
  return new Problem('conflict', 'production has had its first admin: its own admins name others from now on');
}
