import { orgAudit, platformAudit } from '../audit/audit-entry.ts';
import { orgCodes, platformScopeName } from '../people/port.ts';
import { readChainHead, readLink } from '../store/chain.ts';
import type { Item, OpenedStore, Scope, ScopeName } from '../store/port.ts';
import { eachScope } from '../store/walk.ts';

/** Those of all data spaces. */
export interface Stores {
  readonly platform: OpenedStore;
  readonly test: OpenedStore;
  readonly prod: OpenedStore;
}

/** Data that no migration knows. A sentence about what was found, that goes on behind the name of its place. */
export class UnknownData extends Error {
  override readonly name = 'UnknownData';
}

/** Makes of data of the version before it what this version is. */
export interface Migration {
  readonly to: number;
  /** The change of shape from then on, or the reason for a number without one. */
  readonly says: string;
  /** Looks at all stores before one of them is changed, also where a start that was cut off has begun. @throws UnknownData */
  readonly judge?: (stores: Stores) => Promise<void>;
  /**
   * The items to write in the place of an item and beside it; none where all is as it has to be. An item that was
   * rewritten may come again, after a start that was cut off. Entries of the audit log stay as they are: a reader has
   * to know all of them. An item keeps its version.
   */
  readonly rewrite?: (
    item: Item,
    place: { readonly space: keyof Stores; readonly scope: ScopeName },
  ) => readonly Item[];
}

/** Without a gap, one for each version behind the first. */
export const migrations: readonly Migration[] = [
  {
    to: 2,
    says: 'an invitation to an org names who sent it; those that do not stay as they are. Data from before there were chains is refused',
    judge: refuseUnchained,
  },
  {
    to: 3,
    says: 'an account of an app may say that its password is suspended, and which account it is one with; those that do not stay as they are',
  },
  {
    to: 4,
    says: 'an entity may have checks, formulas in CEL with a type, and owner indexes that leave records without an owner; those without stay as they are. An earlier release would not hold records to them',
  },
  {
    to: 5,
    says: 'what an entity may say of its fields, its indexes and its steps is more than before; those that say no more stay as they are. An earlier release would not do by it',
  },
  {
    to: 6,
    says: 'a field of an entity may be stored under another name than its own; those that are not stay as they are. An earlier release would not find their values',
  },
  {
    to: 7,
    says: 'a write of a record may leave items for the events of its entity; those that lie there already stay as they are. An earlier release would write without them, and never send those that wait',
  },
  {
    to: 8,
    says: 'an event may have a condition in CEL and other destinations, a block a schedule and a hook, and a run no user; those without stay as they are. An earlier release would deliver against the condition, and could not take up such a run',
  },
  {
    to: 9,
    says: 'an account may be disabled, erased, or protected by a second factor; those without stay as they are. An earlier release would let them in',
  },
  {
    to: 10,
    says: 'a workspace may be suspended, and a statement of a policy only reported; those that are not stay as they are. An earlier release would let the members of such a workspace in, and deny by such a statement',
  },
  {
    to: 11,
    says: 'a production names its first admin, the platform may have founded its workspace, an address lies under one form, and the values of a run and of its steps lie sealed; those that lie there already stay as they are. An earlier release would make an admin of the first stranger, not find such an address, and go on with such a run without its input',
  },
];

/**
 * Commits from before the first number left data of several shapes. Those from which on the audit log was chained left
 * what can be read as it is; older data lacks required items, and is known by its log: an org begins with an entry, and
 * each log with its chain.
 */
async function refuseUnchained({ platform, test, prod }: Stores): Promise<void> {
  const accounts = platform.store.scope(platformScopeName);
  for await (const code of orgCodes(accounts)) await refuseWithoutChain(accounts, platformAudit(code));
  await refuseLooseLog(accounts, orgAudit);
  for (const opened of [test, prod]) await refuseLooseLogs(opened);
}

async function refuseLooseLogs({ store, maintenance }: OpenedStore): Promise<void> {
  for await (const { name } of eachScope(maintenance)) await refuseLooseLog(store.scope(name), orgAudit);
}

async function refuseWithoutChain(scope: Scope, pk: string): Promise<void> {
  if ((await readChainHead(scope, pk)) === undefined) throw unchained(scope, pk);
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
