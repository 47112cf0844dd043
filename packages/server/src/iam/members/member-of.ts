import { Problem } from '../../lib/problem.ts';
import type { RecordData } from '../../records/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { findMember } from '../iam-rules.ts';

/** The record of a member whom a builder names. @throws Problem `not_found`. */
export async function memberOf(workspace: Workspace, userId: string): Promise<RecordData> {
  const data = (await findMember(workspace, userId))?.data;
  if (data === undefined)
    throw new Problem('not_found', `there is no member \`${userId.slice(0, 100)}\` in \`${workspace.tenantCode}\``);
  return data;
}
