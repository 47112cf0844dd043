import { setImmediate as nextTurn } from 'node:timers/promises';
import type { auditApi } from '@freehold/contract/management/audit';
import type { ReplyOf } from '@freehold/contract/route';
import { type Clock, timestamp } from '../lib/clock.ts';
import { type ChainHead, nextLink, readChainHead, readLink } from '../store/chain.ts';
import type { Scope } from '../store/port.ts';
import { asRead, json, table } from '../store/table.ts';
import { transact } from '../store/transact.ts';
import { type AuditLogDeps, type StrandSource, sourcesOf } from './audit-log.ts';

/** Verifies the chains of an org while the platform runs. Each call does a bounded part, and remembers it. */
export interface VerifiedChains {
  show(orgCode: string, tenantCode: string | undefined): Promise<readonly ChainState[]>;
  /** @throws Problem `conflict` where others keep verifying the same chains. */
  verify(orgCode: string, wanted: Verification): Promise<readonly ChainState[]>;
}

type ChainState = ReplyOf<typeof auditApi.listAuditChains>['items'][number];

export interface Verification {
  readonly tenantCode: string | undefined;
  /** Begins at the first entry again. */
  readonly restart: boolean;
}

interface VerifiedChainsDeps extends Pick<AuditLogDeps, 'platform' | 'orgScopes' | 'workspaceScopes'> {
  readonly clock: Clock;
}

type ChainFault = NonNullable<ChainState['broken']>;

interface VerifiedChain {
  readonly count: number;
  readonly digest: string;
  /** The sort key of the last verified entry; empty before the first. */
  readonly sk: string;
  readonly at: string;
  /** A fault that was found, until the verification has passed it. */
  readonly broken?: ChainFault | undefined;
}

const entriesPerCall = 2000;
const entriesPerRead = 500;

/** By org and chain. INVARIANT: no partition of entries, whose names begin with `audit`. */
const verifiedChains = table(
  ([orgCode, chain]: readonly [orgCode: string, chain: string]) => ({ pk: `chain-verified;${orgCode}`, sk: chain }),
  json<VerifiedChain>('verified chain', { count: 'number', digest: 'string', sk: 'string', at: 'string' }),
);

export function createVerifiedChains(deps: VerifiedChainsDeps): VerifiedChains {
  return {
    show: (orgCode, tenantCode) =>
      Promise.all(chainsOf(deps, orgCode, tenantCode).map((chain) => showChain(deps.platform, chain))),
    verify: async (orgCode, { tenantCode, restart }) => {
      const states: ChainState[] = [];
      let left = entriesPerCall;
      for (const chain of chainsOf(deps, orgCode, tenantCode)) {
        const { state, looked } = await verifyChain(deps, chain, { restart, left });
        states.push(state);
        left = Math.max(0, left - looked);
      }
      return states;
    },
  };
}

interface OrgChain {
  readonly source: StrandSource;
  readonly name: ChainState['chain'];
  readonly place: readonly [orgCode: string, chain: string];
}

const names: Readonly<Record<string, ChainState['chain']>> = {
  platform: 'org',
  test: 'test',
  prod: 'prod',
  'workspace test': 'workspace_test',
  'workspace prod': 'workspace_prod',
};

function chainsOf(deps: VerifiedChainsDeps, orgCode: string, tenantCode: string | undefined): readonly OrgChain[] {
  return sourcesOf(deps, orgCode, { tenantCode }).flatMap((source) => {
    const name = names[source.name];
    if (name === undefined) return [];
    return [{ source, name, place: [orgCode, name.startsWith('workspace') ? `${name}#${tenantCode}` : name] }];
  });
}

async function showChain(platform: Scope, { source: { scope, pk }, name, place }: OrgChain): Promise<ChainState> {
  const row = await verifiedChains.read(platform, place);
  return stateOf(name, await readChainHead(scope, pk), row?.value);
}

function stateOf(
  chain: ChainState['chain'],
  head: ChainHead | undefined,
  verified: VerifiedChain | undefined,
): ChainState {
  const { count = 0, digest = '', at = null, broken = null } = verified ?? {};
  return {
    chain,
    entries: head?.count ?? 0,
    verified: count,
    verified_at: at,
    digest: digest === '' ? null : digest,
    broken,
  };
}

const nothingVerified = { count: 0, digest: '', sk: '' } as const;

async function verifyChain(
  { platform, clock }: VerifiedChainsDeps,
  { source, name, place }: OrgChain,
  { restart, left }: { readonly restart: boolean; readonly left: number },
): Promise<{ readonly state: ChainState; readonly looked: number }> {
  const { planned } = await transact(platform, async () => {
    const row = await verifiedChains.read(platform, place);
    const before = row?.value;
    const from = restart || before === undefined ? nothingVerified : before;
    const head = await readChainHead(source.scope, source.pk);
    const isOwed = name === 'org' || (before?.count ?? 0) > 0;
    const known = before === undefined ? undefined : (cutOff(head, before) ?? before.broken);
    const followed = await follow(source, { head, from, left: enoughFor(known, from, left), isOwed });
    const { count, digest, sk } = followed.reached;
    const fault = followed.broken ?? (known !== undefined && count < known.entry ? known : undefined);
    const at = timestamp(clock.now());
    const broken = fault === undefined ? {} : { broken: { ...fault, found_at: foundAt(fault, before) ?? at } };
    const verified: VerifiedChain = { count, digest, sk, at, ...broken };
    const isEmpty = before === undefined && count === 0 && fault === undefined;
    return {
      changes: isEmpty ? [] : [verifiedChains.put(place, verified, { if: asRead(row) })],
      state: stateOf(name, head, isEmpty ? undefined : verified),
      looked: Math.max(0, count - from.count),
    };
  });
  return planned;
}

/** A known fault is never left just before the entry that it is about: it would look as if it had been found again. */
function enoughFor(known: FollowedChain['broken'], { count }: ReachedEntry, left: number): number {
  return known?.entry === count + left + 1 ? left + 1 : left;
}

/** The time at which a fault was found that is still there. */
function foundAt(fault: NonNullable<FollowedChain['broken']>, before: VerifiedChain | undefined): string | undefined {
  const isSame = before?.broken?.entry === fault.entry && before.broken.problem === fault.problem;
  return isSame ? before.broken?.found_at : undefined;
}

type ReachedEntry = Pick<VerifiedChain, 'count' | 'digest' | 'sk'>;

interface ChainWalk {
  /** As it was before the entries are read, so that it counts no entry that is not there yet. */
  readonly head: ChainHead | undefined;
  readonly from: ReachedEntry;
  /** The number of entries that may be looked at. */
  readonly left: number;
  /** Whether there must be a chain. */
  readonly isOwed: boolean;
}

interface FollowedChain {
  readonly reached: ReachedEntry;
  readonly broken?: { readonly entry: number; readonly problem: string };
}

async function follow(source: StrandSource, way: ChainWalk): Promise<FollowedChain> {
  const { head, from, left, isOwed } = way;
  if (head === undefined) {
    const [first] = await source.scope.range(source.pk, { limit: 1 });
    if (first === undefined && from.count === 0 && !isOwed) return { reached: from };
    return brokenBehind(from, 'the head of the chain is missing');
  }
  const broken = cutOff(head, from);
  if (broken !== undefined) return { reached: from, broken };
  if (from.count > 0 && !(await isAsVerified(source, from)))
    return {
      reached: from,
      broken: { entry: from.count, problem: 'the entry differs from the entry that was verified' },
    };
  const followed = await followEntries(source, from, Math.min(left, head.count - from.count));
  const { reached } = followed;
  const isSound = reached.count < head.count || reached.digest === head.digest;
  if (followed.broken !== undefined || isSound) return followed;
  return { reached, broken: { entry: reached.count, problem: 'the head of the chain has another digest' } };
}

/** A head that counts fewer entries than were verified. A verification from the first entry would not find it. */
function cutOff(head: ChainHead | undefined, { count }: ReachedEntry): FollowedChain['broken'] {
  if (head === undefined || head.count >= count) return undefined;
  const problem = `the chain was verified up to entry ${count}, but its head counts ${head.count}`;
  return { entry: head.count + 1, problem };
}

async function followEntries({ scope, pk }: StrandSource, from: ReachedEntry, wanted: number): Promise<FollowedChain> {
  let reached = from;
  const end = from.count + wanted;
  while (reached.count < end) {
    const after = reached.sk === '' ? {} : { after: reached.sk };
    const items = await scope.range(pk, { ...after, limit: Math.min(entriesPerRead, end - reached.count) });
    if (items.length === 0) return brokenBehind(reached, 'the entry is missing');
    for (const item of items) {
      const next = nextLink(reached, scope.name, item);
      if (next === undefined)
        return brokenBehind(reached, 'the entry does not follow from those before it: it or one of them was changed');
      reached = { ...next, sk: item.sk };
    }
    await nextTurn();
  }
  return { reached };
}

function brokenBehind(reached: ReachedEntry, problem: string): FollowedChain {
  return { reached, broken: { entry: reached.count + 1, problem } };
}

async function isAsVerified({ scope, pk }: StrandSource, { sk, digest }: ReachedEntry): Promise<boolean> {
  const [item] = await scope.get([{ pk, sk }]);
  return item !== undefined && readLink(item)?.digest === digest;
}
