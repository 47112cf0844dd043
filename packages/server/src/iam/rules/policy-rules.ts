import { parseStatements, type Statement } from '../../access/port.ts';
import { invalidInput } from '../../lib/problem.ts';
import type { PlannedChange, RecordData, RecordWrite } from '../../records/port.ts';
import { policyOf } from '../policies/held-policies.ts';
import { refuseEscalation } from './escalation.ts';
import { keepAdminPolicy } from './last-admin.ts';
import { type RemovalDeps, releasePolicy } from './removal.ts';

/**
 * What writing a policy demands. Only what the policy did not grant before has to be covered by the caller; but a
 * policy under another name is granted again, since a name is what gives a policy to new members.
 */
export async function policyChanges(deps: RemovalDeps, write: RecordWrite): Promise<readonly PlannedChange[]> {
  const { before, after } = write;
  const statements = after === undefined ? [] : statementsOf(after);
  await refuseEscalation(write, {
    before: before === undefined ? [] : [policyOf(before)],
    after: after === undefined ? [] : [policyOf(after)],
    isAnew: before?.name !== after?.name,
  });
  if (before !== undefined) keepAdminPolicy(before, after, statements);
  return before !== undefined && after === undefined ? releasePolicy(deps, write, before) : [];
}

function statementsOf(policy: RecordData): readonly Statement[] {
  const parsed = parseStatements(policy.statements);
  if ('statements' in parsed) return parsed.statements;
  throw invalidInput(
    'validation_failed',
    parsed.errors.map((error) => ({ ...error, pointer: `/statements${error.pointer}` })),
  );
}
