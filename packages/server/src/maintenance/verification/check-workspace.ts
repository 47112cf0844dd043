import type { Item, Maintenance } from '../../store/port.ts';
import { walkScope } from '../../store/walk.ts';
import { workspaceOrg } from '../../tenancy/port.ts';
import { checkFence, claimsOfEntry, claimsOfSealed, claimsOfSentinel, noteCounter } from './check-beside.ts';
import { claimsOfRecord } from './check-record.ts';
import { type Claim, judgeClaims } from './claims.ts';
import { drift, type WorkspaceLook } from './look.ts';

const itemsPerRead = 200;

/**
 * Goes through everything that a workspace holds, once: each record asks for what is to lie beside it, and each thing
 * beside records for its record. There must be no writes meanwhile. Memory does not grow with the records.
 */
export async function checkWorkspace(maintenance: Pick<Maintenance, 'scan'>, look: WorkspaceLook): Promise<void> {
  const { findings, tallies, workspace } = look;
  findings.count('workspaces');
  for await (const items of walkScope(maintenance, workspace.scope, itemsPerRead)) {
    const claims: Claim[] = [];
    for (const item of items) claims.push(...(await claimsOf(look, item)));
    await judgeClaims(workspace.scope, claims, (found) => findings.add(found));
  }
  for (const { kind, key, problem } of tallies.drift()) findings.add(drift(workspace.scope, kind, key, problem));
}

/** What lies elsewhere is other rooms' and follows from nothing here. */
async function claimsOf(look: WorkspaceLook, item: Item): Promise<readonly Claim[]> {
  const { pk } = item;
  if (pk.startsWith('index#')) return claimsOfEntry(look, item);
  if (pk.startsWith('unique#')) return claimsOfSentinel(look, item);
  if (pk.startsWith('sealed#')) return claimsOfSealed(look, item);
  if (pk.startsWith(`org#${workspaceOrg(look.workspace)};`)) return claimsOfRecord(look, item);
  if (pk === 'count' || pk.startsWith('number#')) noteCounter(look, item);
  if (pk === 'fence') checkFence(look, item);
  return [];
}
