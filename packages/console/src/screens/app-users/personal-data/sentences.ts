/** What the counts and states of a job say to a person. */
import type { PersonJob, RecordChoice } from './queries.ts';

export const choices: readonly {
  readonly value: RecordChoice;
  readonly label: string;
  readonly description: string;
}[] = [
  {
    value: 'keep',
    label: 'Keep all records',
    description: 'The records stay. Their owner fields, lookups and stamps no longer name the person.',
  },
  {
    value: 'delete_owned',
    label: 'Delete the records that the person owns',
    description: 'Owned are records that name the person in the field of an owner index.',
  },
  {
    value: 'delete_created',
    label: 'Delete the records that the person owns or created',
    description: 'Records that belong to others now go as well if the person created them.',
  },
];

export function titleOf({ kind, dry_run }: PersonJob): string {
  if (kind === 'export') return 'Export';
  if (kind === 'merge') return dry_run ? 'Preview of a merge' : 'Merge';
  return dry_run ? 'Preview of an erase' : 'Erase';
}

export function stateOf({ kind, dry_run, state }: PersonJob): string {
  if (state === 'queued') return 'It waits for its turn.';
  if (state === 'failed') return 'It has failed. What was done by then stays done.';
  if (state === 'running') return 'It goes through the data of the org. You may leave this page.';
  if (kind === 'export') return 'The data is collected.';
  if (kind === 'merge')
    return dry_run
      ? 'Nothing was changed. A merge would do this:'
      : 'The account is part of the other one. This was done:';
  return dry_run ? 'Nothing was changed. An erase would do this:' : 'The person is erased. This was done:';
}

const counted: readonly (readonly [keyof PersonJob['counts'], string])[] = [
  ['accounts', 'Accounts, with those that were merged into this one'],
  ['identities', 'Sign-ins by a password or a provider'],
  ['memberships', 'Memberships in workspaces'],
  ['invitations', 'Open invitations'],
  ['owned', 'Records that the person owns'],
  ['created', 'Other records that the person created'],
  ['linked', 'Records that name the person in a lookup or as their last editor'],
  ['named', 'Records that contain the id in another field'],
];

const done: readonly (readonly [keyof PersonJob['counts'], string, string])[] = [
  ['removed', 'Records to be deleted', 'Records deleted'],
  ['changed', 'Records from which the person would be taken', 'Records from which the person was taken'],
];

/** What was found, and what was done about records. */
export function countsOf({ kind, dry_run, counts }: PersonJob): readonly (readonly [label: string, count: number])[] {
  const found = counted.map(([name, label]) => [label, counts[name]] as const).filter(([, count]) => count > 0);
  const changed = done.map(([name, planned, made]) => [dry_run ? planned : made, counts[name]] as const);
  if (kind === 'merge')
    return [...found, [dry_run ? 'Records that would name the account that stays' : 'Records changed', counts.changed]];
  return kind === 'export' ? found : [...found, ...changed];
}

/** What the account that stays gains, a sentence for each workspace. */
export function gainsOf({ gains }: PersonJob): readonly string[] {
  if (gains.length === 0) return ['It comes into no workspace, and gains no policy.'];
  return gains.map(({ tenant_code, joins, suspended, policies, policies_total }) => {
    const place = joins ? `${tenant_code}: it becomes a member` : `${tenant_code}: it is a member already`;
    const more = policies_total > policies.length ? ` and ${policies_total - policies.length} more` : '';
    const gained = policies_total === 0 ? 'gains no policy' : `gains ${policies.join(', ')}${more}`;
    return `${place}, and ${gained}.${suspended ? ' The membership is not active then.' : ''}`;
  });
}
