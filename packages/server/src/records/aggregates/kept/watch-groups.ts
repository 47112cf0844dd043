import type { ConfigSet } from '../../../config/port.ts';
import type { Change, Committed } from '../../../store/port.ts';
import type { Workspace } from '../../../tenancy/port.ts';
import { maintainWork } from '../../reindex/maintain-work.ts';
import { isCrowded } from './kept-rows.ts';

interface Writing {
  readonly workspace: Pick<Workspace, 'orgCode' | 'scope'>;
  readonly config: Pick<ConfigSet, 'version'>;
}

/** Of the groups that come to be, one of 16 has them counted: to count takes longer than to write. */
const looked = /^[A-D]/;

type Planned = readonly { readonly change: Change }[];

/**
 * Has an aggregate looked at in which a commit has made a group, if there are more groups now than there may be.
 * @param planned what was committed, behind the checks.
 */
export async function watchGroups(writing: Writing, planned: Planned, committed: Committed): Promise<void> {
  // The write is stored, whether this fails or not: the next look finds what this one has not.
  await lookAt(writing, planned, committed).catch(() => undefined);
}

async function lookAt(
  { workspace: { scope, orgCode }, config: { version } }: Writing,
  planned: Planned,
  { sums }: Committed,
): Promise<void> {
  let at = 0;
  for (const { change } of planned) {
    if (change.kind !== 'add' && change.kind !== 'tally') continue;
    const sum = sums[at++] ?? 0;
    if (change.kind === 'add' || sum !== Number(change.by[0]) || sum <= 0 || !looked.test(change.sk)) continue;
    if (!(await isCrowded(scope, change))) continue;
    const entityName = change.pk.slice(change.pk.indexOf('#') + 1, change.pk.indexOf(';'));
    await scope.commit([maintainWork({ orgCode, entityName, version }, 0)], { priority: 'background' });
  }
}
