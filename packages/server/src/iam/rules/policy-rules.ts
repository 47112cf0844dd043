import { parseStatements, type Statement } from '../../access/port.ts';
import { invalidInput, Problem } from '../../lib/problem.ts';
import { type PlannedChange, type RecordData, type RecordWrite, systemData } from '../../records/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { policyLink } from '../members/links.ts';
import { groupsWith, noGroupWith } from '../policies/group-policies.ts';
import { policyOf } from '../policies/held-policies.ts';
import { refuseEscalation } from './escalation.ts';
import { keepAdminPolicy } from './last-admin.ts';
import { releaseLinks } from './release-links.ts';

/**
 * What writing a policy demands. Only what the policy did not grant before has to be covered by the caller; but a
 * policy under another name is granted again, since a name is what gives a policy to new members.
 */
export async function policyChanges(write: RecordWrite): Promise<readonly PlannedChange[]> {
  const { before, after } = write;
  const statements = after === undefined ? [] : statementsOf(after);
  await refuseEscalation(write, {
    before: before === undefined ? [] : [policyOf(before)],
    after: after === undefined ? [] : [policyOf(after)],
    isAnew: before?.name !== after?.name,
  });
  if (before !== undefined) keepAdminPolicy(before, after, statements);
  const released = before !== undefined && after === undefined ? await releasePolicy(write.workspace, before.id) : [];
  return released;
}

function statementsOf(policy: RecordData): readonly Statement[] {
  const parsed = parseStatements(policy.statements);
  if ('statements' in parsed) return parsed.statements;
  throw invalidInput(
    'validation_failed',
    parsed.errors.map((error) => ({ ...error, pointer: `/statements${error.pointer}` })),
  );
}

const groupsNamed = 5;

/**
 * A removed policy takes its links to persons along. A group is written by its author, so it is not rewritten: the
 * author removes the policy first.
 */
async function releasePolicy(workspace: Workspace, policyId: string): Promise<readonly PlannedChange[]> {
  const groups = await groupsWith(workspace.scope, policyId, groupsNamed);
  if (groups.length > 0) {
    const ids = groups.map((group) => `\`${systemData(group).id}\``);
    throw new Problem('in_use', `groups hold the policy: take it out of ${ids.join(', ')} first`);
  }
  const ungrouped: PlannedChange = { change: noGroupWith(policyId), onConflict: 'replan' };
  return [ungrouped, ...(await releaseLinks(workspace.scope, policyLink, policyId))];
}
