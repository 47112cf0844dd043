/** What an account would hold in each workspace by a merge that it does not hold yet. */
import { createHash } from 'node:crypto';
import { findMember, heldPolicies } from '../../iam/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { workspacesOf } from '../app-users/settle-accounts.ts';
import type { ShownJob } from './person-job.ts';
import type { Run } from './run.ts';

export type Gain = ShownJob['gains'][number];

export interface Gains {
  readonly gains: readonly Gain[];
  /** Names all of it: the merge is done on this state alone. */
  readonly seen: string;
}

const policiesShownMax = 20;

/** @throws what the store throws. */
export async function gainsOf(
  { deps, work, orgScope }: Pick<Run, 'deps' | 'work' | 'orgScope'>,
  { from, into }: { readonly from: string; readonly into: string },
): Promise<Gains> {
  const { env, orgCode } = work;
  const gains: Gain[] = [];
  const digest = createHash('sha256').update(JSON.stringify([from, into]));
  for (const workspace of await workspacesOf({ deps, place: { env, orgCode }, orgScope }, from)) {
    const found = await gainIn(workspace, { from, into });
    if (found === undefined) continue;
    gains.push(found.gain);
    digest.update(JSON.stringify(found));
  }
  return { gains, seen: digest.digest('base64url') };
}

async function gainIn(workspace: Workspace, { from, into }: { readonly from: string; readonly into: string }) {
  const member = await findMember(workspace, from);
  if (member === undefined) return undefined;
  const other = await findMember(workspace, into);
  const held = new Set((await heldPolicies(workspace, into)).map(({ policyId }) => policyId));
  const gained = (await heldPolicies(workspace, from)).filter(({ policyId }) => !held.has(policyId));
  const names = [...new Set(gained.map(({ policyName }) => policyName))].sort();
  const gain: Gain = {
    tenant_code: workspace.tenantCode,
    joins: other === undefined,
    role: other === undefined ? String(member.data.role ?? '') : String(other.data.role ?? ''),
    suspended: [member, other].some((one) => one !== undefined && one.data.status !== 'active'),
    policies: names.slice(0, policiesShownMax),
    policies_total: names.length,
  };
  return { gain, names, statements: gained.map(({ policyId, statements }) => [policyId, statements]) };
}
