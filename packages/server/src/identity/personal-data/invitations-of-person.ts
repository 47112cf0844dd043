/** The open invitations to the addresses of a person, from before the job. */

import { emailKey } from '../../lib/formats/email-key.ts';
import type { Change } from '../../store/port.ts';
import type { Row } from '../../store/table.ts';
import type { Workspace } from '../../tenancy/port.ts';
import {
  type Invitation,
  invitationPartition,
  invitations,
  receivedBy as invitedTo,
} from '../invitations/invitation.ts';
import { openWorkspace, readHead } from '../workspaces/workspace-head.ts';
import type { JobRow } from './person-job.ts';
import type { Run } from './run.ts';

/** A workspace has no more open ones. */
const openMax = 500;
const receivedMax = 500;

/** Those of a workspace. An invitation to the same address from after the beginning of the job is for another account. */
export async function invitationsTo(
  { scope }: Workspace,
  { emails = [], created_at }: JobRow,
): Promise<readonly Row<Invitation>[]> {
  const keys = new Set(emails.map(emailKey));
  const rows = await invitations.range(scope, invitationPartition, { limit: openMax });
  return rows.filter(({ value }) => keys.has(emailKey(value.email)) && value.created_at <= created_at);
}

/** Takes away what the org remembers of invitations that are no more, the first of very many. */
export async function receivedBy(
  { deps, orgScope, work: { env, orgCode } }: Run,
  { emails = [], created_at }: JobRow,
): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for (const email of emails) {
    if (changes.length >= receivedMax) break;
    const rows = await invitedTo(orgScope, email, receivedMax);
    for (const { pk, sk, value } of rows) {
      const { scope } = openWorkspace(deps, { env, orgCode }, value.tenant);
      const invitation = await invitations.read(scope, value.id);
      const isOpen = invitation !== undefined && (await readHead(scope))?.id === value.tenant.id;
      if (!isOpen || invitation.value.created_at <= created_at) changes.push({ kind: 'remove', pk, sk, if: 'any' });
    }
  }
  return changes;
}
