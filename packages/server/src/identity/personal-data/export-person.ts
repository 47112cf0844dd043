/** The data of a person as lines of a file. */
import { findMember, heldPolicies } from '../../iam/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { type AppUser, passwordIdp } from '../app-users/app-user.ts';
import type { RecordsPage } from './named-records.ts';
import { added, type JobRow, noCounts } from './person-job.ts';
import type { Found, FoundIdentity, FoundInRecords, Run, Step, Worker } from './run.ts';
import { idsOf, invitationsTo } from './steps.ts';

export const exportWorker: Worker = {
  account: exportAccount,
  identity: exportIdentity,
  records: async ({ job }, workspace, page) => {
    requireRoom(job);
    return exportRecords(workspace, page);
  },
  membership: exportMembership,
  finish: exportEnd,
};

const exportBytesMax = 256 * 1024 * 1024;

/** @throws Problem where the file has become too large. */
function requireRoom({ file }: JobRow): void {
  if (file === undefined || file.bytes <= exportBytesMax) return;
  throw new Problem(
    'body_too_large',
    `the data of the person is larger than ${exportBytesMax} bytes, the most that a file holds`,
  );
}

function exportAccount({ job, work }: Run, user: AppUser): Found {
  const { id, email, email_verified, fn, ln, picture, created_at, merged_into, password_hash } = user;
  const account = { id, email, email_verified, fn, ln, picture, created_at, merged_into };
  const head = { kind: 'export', format: 1, env: work.env, user_id: job.user_id, requested_at: job.created_at };
  return {
    counts: { accounts: 1 },
    lines: [
      ...(job.file === undefined && id === job.user_id ? [JSON.stringify(head)] : []),
      JSON.stringify({ kind: 'account', ...account, has_password: password_hash !== undefined }),
    ],
  };
}

function exportIdentity(_run: Run, { sk, userId }: FoundIdentity): Found {
  const [idp = '', subject = ''] = sk.split(';').map(decodeURIComponent);
  const named = idp === passwordIdp ? { provider: idp, email: subject } : { provider: idp, subject };
  return { counts: { identities: 1 }, lines: [JSON.stringify({ kind: 'identity', account_id: userId, ...named })] };
}

/** Records that only mention the person are about others as well, so they are counted and not shown. */
function exportRecords({ tenantCode }: Workspace, { named, next }: RecordsPage): FoundInRecords {
  let counts = noCounts;
  const lines: string[] = [];
  for (const { entity, record, relation } of named) {
    counts = added(counts, { [relation]: 1 });
    if (relation !== 'owned' && relation !== 'created') continue;
    const data = { ...record.data, version: record.version };
    lines.push(JSON.stringify({ kind: 'record', tenant_code: tenantCode, entity: entity.name, relation, data }));
  }
  return { counts, lines, next };
}

async function exportMembership({ job }: Run, workspace: Workspace): Promise<Found> {
  const { tenantCode: tenant_code } = workspace;
  const lines: string[] = [];
  const open = await invitationsTo(workspace, job);
  for (const { value } of open) {
    const { code_hash: _, ...invitation } = value;
    lines.push(JSON.stringify({ kind: 'invitation', tenant_code, ...invitation }));
  }
  let memberships = 0;
  for (const userId of idsOf(job)) {
    const member = await findMember(workspace, userId);
    if (member === undefined) continue;
    memberships += 1;
    const held = await heldPolicies(workspace, userId);
    const policies = held.map(({ policyName, via }) =>
      via.kind === 'group' ? { policy: policyName, group: via.groupName } : { policy: policyName },
    );
    lines.push(JSON.stringify({ kind: 'membership', tenant_code, user: member.data, policies }));
  }
  return { counts: { invitations: open.length, memberships }, lines };
}

async function exportEnd({ deps, job }: Run): Promise<Step> {
  const { accounts, identities, memberships, invitations, owned, created, linked, named } = job.counts;
  const counts = { accounts, identities, memberships, invitations, owned, created, linked, named };
  return {
    job: { ...job, state: 'done', finished_at: timestamp(deps.clock.now()) },
    lines: [JSON.stringify({ kind: 'end', counts })],
  };
}
