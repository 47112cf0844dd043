import { orgAudit, platformAudit } from '../audit/audit-entry.ts';
import { orgCodes, platformScopeName } from '../identity/port.ts';
import { chainHeadKey, readHead, readLink } from '../store/chain.ts';
import type { OpenedStore, Scope } from '../store/port.ts';
import { eachScope } from '../store/walk.ts';
import { type Stores, UnknownData } from './stores.ts';

/**
 * Commits from before the first number left data of several shapes. Those from which on the audit log was chained left
 * what can be read as it is; older data lacks required items, and is known by its log: an org begins with an entry, and
 * each log with its chain.
 */
export async function refuseUnchained({ platform, test, prod }: Stores): Promise<void> {
  const accounts = platform.store.scope(platformScopeName);
  for await (const code of orgCodes(accounts)) await refuseWithoutChain(accounts, platformAudit(code));
  await refuseLooseLog(accounts, orgAudit);
  for (const opened of [test, prod]) await refuseLooseLogs(opened);
}

async function refuseLooseLogs({ store, maintenance }: OpenedStore): Promise<void> {
  for await (const { name } of eachScope(maintenance)) await refuseLooseLog(store.scope(name), orgAudit);
}

async function refuseWithoutChain(scope: Scope, pk: string): Promise<void> {
  const [head] = await scope.get([chainHeadKey(pk)]);
  if (head === undefined || readHead(head.value) === undefined) throw unchained(scope, pk);
  await refuseLooseLog(scope, pk);
}

/** The first entry tells of which time a log is: later commits chain what they add to an older one. */
async function refuseLooseLog(scope: Scope, pk: string): Promise<void> {
  const [first] = await scope.range(pk, { limit: 1 });
  if (first !== undefined && readLink(first) === undefined) throw unchained(scope, pk);
}

function unchained({ name }: Scope, pk: string): UnknownData {
  const log = pk === orgAudit ? `the scope \`${name}\`` : `the org \`${pk.slice(platformAudit('').length)}\``;
  return new UnknownData(
    `was written by a development version from before audit logs were chained (that of ${log} is not), which no release ` +
      'reads: export its records with the commit that wrote it, and import them into an empty place',
  );
}
