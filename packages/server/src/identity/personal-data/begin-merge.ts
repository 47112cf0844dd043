/** How a merge of two accounts of one person begins. */
import { invalidBody, notFound, Problem } from '../../lib/problem.ts';
import { mayBeId } from '../../records/port.ts';
import type { Change, Scope } from '../../store/port.ts';
import type { Row } from '../../store/table.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import { type AppUser, appUsers, passwordIdentities, verifiedEmails } from '../app-users/app-user.ts';
import { joinedAccounts } from '../app-users/prove-email.ts';
import { settleAccounts } from '../app-users/settle-accounts.ts';
import { tokensKeyOf, withNextEpoch } from '../sessions/ended-tokens.ts';
import { beginJob, nothingAtOnce, type PersonalDataDeps, type PersonCommand } from './begin-job.ts';
import { gainsOf } from './merge-gains.ts';
import { noCounts, type ShownJob } from './person-job.ts';

export interface MergeChoice {
  readonly dryRun: boolean;
  /** The account that stays. */
  readonly into: string;
  /** What the preview has shown. */
  readonly seen: string | undefined;
}

export async function beginMerge(
  deps: PersonalDataDeps,
  command: PersonCommand,
  { dryRun: dry_run, into, seen }: MergeChoice,
): Promise<ShownJob> {
  const { env, orgCode, id: from } = command;
  if (from === into) throw new Problem('conflict', 'an account cannot be merged into itself');
  if (!mayBeId(into)) throw unknownAccount();
  await settleBoth(deps, command, into);
  const job = await beginJob(deps, command, { kind: 'merge', dry_run, into }, async ({ orgScope, row }) => {
    const other = await appUsers.read(orgScope, into);
    if (other === undefined) throw unknownAccount();
    for (const { value } of [row, other]) requireFree(value);
    if (dry_run) return nothingAtOnce;
    const work = { id: from, env, orgCode };
    const state = await gainsOf({ deps, work, orgScope }, { from, into });
    if (seen !== state.seen) throw notSeen(seen);
    const { gains } = state;
    const changes = await mergingChanges(orgScope, { row, other }, command.auditContext.at);
    return { changes, job: { gains, counts: { ...noCounts, memberships: gains.length } } };
  });
  if (!dry_run) for (const sub of [from, into]) deps.revocations.bump(tokensKeyOf({ env, org: orgCode, sub }));
  return job;
}

/** What an earlier merge has left to do comes first. */
async function settleBoth(
  deps: PersonalDataDeps,
  { env, orgCode, id, auditContext }: PersonCommand,
  into: string,
): Promise<void> {
  if (!mayBeId(id)) throw notFound();
  const orgScope = deps.stores[env].scope(orgScopeName(orgCode));
  const place = { env, orgCode, requestId: auditContext.request_id };
  for (const row of await appUsers.readMany(orgScope, [id, into]))
    if (row !== undefined) await settleAccounts(deps, place, row.value, auditContext);
}

function unknownAccount(): Problem {
  return invalidBody([
    { pointer: '/into', code: 'unknown_reference', message: '`into` must be the id of another account' },
  ]);
}

/** @throws Problem `conflict` where something else is decided about the account. */
function requireFree({ id, merged_into, is_erasing, suspended_for, suspends }: AppUser): void {
  if (merged_into !== undefined) throw new Problem('conflict', `account \`${id}\` was merged into \`${merged_into}\``);
  if (is_erasing === true) throw new Problem('conflict', `account \`${id}\` is being erased`);
  if (suspended_for !== undefined || suspends !== undefined)
    throw new Problem('conflict', `account \`${id}\` is part of a suspended password: decide that first`);
}

function notSeen(seen: string | undefined): Problem {
  if (seen !== undefined)
    return new Problem('conflict', 'what the account would gain has changed since the preview: look at it again');
  const message = '`seen` must be that of a preview of the merge';
  return invalidBody([{ pointer: '/seen', code: 'required', message }]);
}

interface Merging {
  readonly row: Row<AppUser>;
  readonly other: Row<AppUser>;
}

/** The password of the account that ends does not open the other one; its address does, with the other's password. */
async function mergingChanges(orgScope: Scope, { row, other }: Merging, at: string): Promise<readonly Change[]> {
  const { password_hash: _, ...from } = row.value;
  const user = withNextEpoch(other.value, at);
  const { holder, along } = await joinedAccounts(orgScope, { user, row: { ...row, value: from }, at });
  const [password, verified] = [
    await passwordIdentities.read(orgScope, from.email),
    await verifiedEmails.read(orgScope, from.email),
  ];
  const moved = [
    ...(password?.value === from.id ? [passwordIdentities.byKey.replace(password, other.value.id)] : []),
    ...(verified?.value === from.id ? [verifiedEmails.byKey.replace(verified, other.value.id)] : []),
  ];
  return [appUsers.replace(other, holder), ...along, ...moved];
}
