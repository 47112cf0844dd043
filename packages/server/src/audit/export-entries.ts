import { readLink } from '../store/chain.ts';
import type { OpenedStore, ScopeName } from '../store/port.ts';
import { orgAudit, platformAudit } from './audit-entry.ts';
import { chainsIn, entriesOf } from './verify-chains.ts';

/** An entry with its place, so that its digest can be recomputed from the lines of its chain. */
export interface ExportedEntry {
  readonly scope: ScopeName;
  readonly pk: string;
  readonly sk: string;
  readonly digest: string;
  /** As it was written; a text of JSON. */
  readonly entry: string;
}

/** The entries of a store, chain by chain, in the order in which they were written: all, or those about one org. */
export async function* exportedEntries(
  opened: OpenedStore,
  orgCode: string | undefined,
): AsyncGenerator<ExportedEntry> {
  for await (const { scope, pk } of chainsIn(opened)) {
    if (orgCode !== undefined && !isOfOrg(orgCode, scope.name, pk)) continue;
    for await (const item of entriesOf(scope, pk)) {
      const { digest, text } = readLink(item) ?? { digest: '', text: item.value };
      yield { scope: scope.name, pk, sk: item.sk, digest, entry: text };
    }
  }
}

/** A code of an org has no hyphen, so what stands behind one is a workspace of the org. */
function isOfOrg(orgCode: string, scope: ScopeName, pk: string): boolean {
  if (pk !== orgAudit) return pk === platformAudit(orgCode);
  return scope === `org#${orgCode}` || scope.startsWith(`org#${orgCode}-`);
}
