import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Item, Scope } from '../store/port.ts';
import type { Environment } from '../tenancy/port.ts';
import { type AuditEntry, orgAudit, platformAudit, readEntry } from './audit-entry.ts';

/** The actions on an org and their actors, the latest first. Nothing changes an entry or takes it away. */
export interface AuditLog {
  /** @throws Problem `invalid_cursor`. */
  read(orgCode: string, query: AuditQuery): Promise<AuditPage>;
  /** The same some at a time, up to a number that were looked at. @throws Problem `invalid_cursor`, before it is iterated. */
  readOn(orgCode: string, query: Omit<AuditQuery, 'pageSize'>): AsyncIterable<AuditSlice>;
  /** The operator's actions on the platform as a whole. @throws Problem `invalid_cursor`. */
  readOperator(query: AuditQuery): Promise<AuditPage>;
}

export interface AuditQuery {
  readonly pageSize: number;
  readonly nexttoken: string | undefined;
  readonly filter: AuditFilter;
}

/** A filter that is left out lets every entry through. */
export interface AuditFilter {
  /** Only actions in this environment. */
  readonly env?: Environment | undefined;
  /** Only actions of the actor with this id. */
  readonly actor?: string | undefined;
  /** Only actions that start with this. */
  readonly action?: string | undefined;
  /** Only actions on the object with this id, or of this name. */
  readonly target?: string | undefined;
  /** Only what is about this workspace; what was done inside of it is read then alone. */
  readonly tenantCode?: string | undefined;
  /** Only actions of this request. */
  readonly requestId?: string | undefined;
  /** From this time on, as entries have it. */
  readonly from?: string | undefined;
  /** Before this time. */
  readonly to?: string | undefined;
}

interface AuditPage {
  readonly items: readonly AuditEntry[];
  readonly nexttoken: string | null;
  /** The page is not full, although there may be more: it has looked at as many entries as a page may. */
  readonly partial?: true;
}

export interface AuditSlice {
  readonly items: readonly AuditEntry[];
  /** Of the last slice, where the log goes on: what reads the rest. */
  readonly nexttoken: string | null;
}

export interface AuditLogDeps {
  readonly platform: Scope;
  readonly orgScopes: (orgCode: string) => Readonly<Record<Environment, Scope>>;
  readonly workspaceScopes: (orgCode: string, tenantCode: string) => Readonly<Record<Environment, Scope>>;
  /** Makes a text of a place that only its own list opens. */
  readonly cursors: {
    seal(position: string, binding: readonly string[]): string;
    open(cursor: string, binding: readonly string[]): string;
  };
}

/** A page that looks for few among many ends short, with a token for what comes after. */
const entriesReadMax = 1000;
const slicesMaxDefault = 100;

/** @param slicesMax how many slices of entries that were looked at are read on at most. */
export function createAuditLog(deps: AuditLogDeps, slicesMax = slicesMaxDefault): AuditLog {
  const listOf = (orgCode: string, filter: AuditFilter): ReadList => {
    return { name: `org ${orgCode}`, sources: sourcesOf(deps, orgCode, filter) };
  };
  return {
    read: (orgCode, query) => readPage(deps, query, listOf(orgCode, query.filter)),
    readOn: (orgCode, query) =>
      readSlices(openList(deps, query, listOf(orgCode, query.filter)), query.filter, slicesMax),
    readOperator: (query) =>
      readPage(deps, query, {
        name: 'operator',
        sources: [{ name: 'platform', scope: deps.platform, pk: orgAudit }],
      }),
  };
}

/**
 * The strands of an org are few, however many workspaces it has: those of the org itself, and the two of the one
 * workspace that is asked for.
 */
export function sourcesOf(
  deps: Pick<AuditLogDeps, 'platform' | 'orgScopes' | 'workspaceScopes'>,
  orgCode: string,
  { env, tenantCode }: Pick<AuditFilter, 'env' | 'tenantCode'>,
): readonly StrandSource[] {
  const both = (kind: string, { test, prod }: Readonly<Record<Environment, Scope>>) => [
    { name: `${kind}test`, env: 'test', scope: test, pk: orgAudit },
    { name: `${kind}prod`, env: 'prod', scope: prod, pk: orgAudit },
  ];
  const all = [
    ...both('', deps.orgScopes(orgCode)),
    ...(tenantCode === undefined ? [] : both('workspace ', deps.workspaceScopes(orgCode, tenantCode))),
  ];
  const platform = { name: 'platform', scope: deps.platform, pk: platformAudit(orgCode) };
  return [platform, ...all.filter((source) => env === undefined || source.env === env)];
}

interface ReadList {
  readonly name: string;
  readonly sources: readonly StrandSource[];
}

interface OpenList {
  readonly strands: readonly Strand[];
  /** A token for what comes after the entries that were looked at. */
  seal(): string;
}

/** @throws Problem `invalid_cursor`. */
function openList(
  { cursors }: Pick<AuditLogDeps, 'cursors'>,
  { nexttoken, filter }: Omit<AuditQuery, 'pageSize'>,
  { name, sources }: ReadList,
): OpenList {
  const { env, actor, action, target, tenantCode, requestId, from, to } = filter;
  const binding = ['audit', name, JSON.stringify([env, actor, action, target, tenantCode, requestId, from, to])];
  const places = nexttoken === undefined ? {} : JSON.parse(cursors.open(nexttoken, binding));
  const strands = sources.map((source) => openStrand(source, places));
  return { strands, seal: () => cursors.seal(JSON.stringify(placesOf(strands)), binding) };
}

async function readPage(deps: AuditLogDeps, query: AuditQuery, list: ReadList): Promise<AuditPage> {
  const { strands, seal } = openList(deps, query, list);
  const items = await readItems(strands, query.pageSize, query.filter);
  const isAtEnd = (await latest(strands)) === undefined;
  if (isAtEnd) return { items, nexttoken: null };
  const page = { items, nexttoken: seal() };
  return items.length < query.pageSize ? { ...page, partial: true } : page;
}

async function* readSlices(
  { strands, seal }: OpenList,
  filter: AuditFilter,
  slicesMax: number,
): AsyncGenerator<AuditSlice> {
  for (let slice = 1; slice <= slicesMax; slice++) {
    const items = await readItems(strands, entriesReadMax, filter);
    const isAtEnd = (await latest(strands)) === undefined;
    yield { items, nexttoken: isAtEnd || slice < slicesMax ? null : seal() };
    if (isAtEnd) return;
    await nextTurn();
  }
}

async function readItems(
  strands: readonly Strand[],
  pageSize: number,
  filter: AuditFilter,
): Promise<readonly AuditEntry[]> {
  const items: AuditEntry[] = [];
  for (let read = 0; read < entriesReadMax && items.length < pageSize; read++) {
    const found = await latest(strands);
    if (found === undefined) break;
    take(found.strand);
    if (matchesFilter(found.entry, filter)) items.push(found.entry);
  }
  return items;
}

function matchesFilter(entry: AuditEntry, filter: AuditFilter): boolean {
  const { env, actor, action, target, tenantCode, requestId, from, to } = filter;
  const isSame = (query: string | undefined, description: string | undefined): boolean =>
    query === undefined || query === description;
  return (
    isSame(env, entry.env) &&
    isSame(actor, entry.actor.id) &&
    (isSame(target, entry.target?.id) || isSame(target, entry.target?.name)) &&
    isSame(tenantCode, entry.tenant_code) &&
    isSame(requestId, entry.request_id) &&
    (action === undefined || entry.action.startsWith(action)) &&
    (from === undefined || entry.at >= from) &&
    (to === undefined || entry.at < to)
  );
}

/** A partition of entries, each in the order of its scope's commits. */
export interface StrandSource {
  readonly name: string;
  readonly scope: Scope;
  readonly pk: string;
}

/** One of them, read from its end. */
interface Strand extends StrandSource {
  place: string | undefined;
  readonly ahead: Item[];
  isRead: boolean;
}

/** By the name of a strand: where what was looked at begins. */
type StrandTargets = Readonly<Record<string, string | undefined>>;

const chunk = 100;

function openStrand(source: StrandSource, places: StrandTargets): Strand {
  return { ...source, place: places[source.name], ahead: [], isRead: false };
}

function placesOf(strands: readonly Strand[]): StrandTargets {
  return Object.fromEntries(strands.map((strand) => [strand.name, strand.place ?? placeAbove(strand)]));
}

/**
 * All entries of a strand that no entry was taken of are below its place, and entries that are appended meanwhile above
 * it: later pages show nothing that came after the first. Sort keys of entries begin with a digit and hold no `~`.
 */
function placeAbove({ ahead: [next] }: Strand): string {
  return next === undefined ? belowAll : `${next.sk}~`;
}

const belowAll = '!';

/** Goes on behind the entry that was looked at. */
function take(strand: Strand): void {
  strand.place = strand.ahead.shift()?.sk;
}

/** The strand whose next entry is the latest of all. Clocks may step back; strands never lose or repeat an entry. */
async function latest(
  strands: readonly Strand[],
): Promise<{ readonly strand: Strand; readonly entry: AuditEntry } | undefined> {
  let found: { readonly strand: Strand; readonly entry: AuditEntry } | undefined;
  for (const strand of strands) {
    const entry = await peek(strand);
    if (entry !== undefined && (found === undefined || entry.at > found.entry.at)) found = { strand, entry };
  }
  return found;
}

/** An item that is not an entry, because it was written from outside, is skipped. */
async function peek(strand: Strand): Promise<AuditEntry | undefined> {
  for (;;) {
    if (strand.ahead.length === 0 && !strand.isRead) await readOn(strand);
    const [next] = strand.ahead;
    if (next === undefined) return undefined;
    const entry = readEntry(next);
    if (entry !== undefined) return entry;
    take(strand);
  }
}

async function readOn(strand: Strand): Promise<void> {
  const before = strand.place === undefined ? {} : { before: strand.place };
  const items = await strand.scope.range(strand.pk, { reverse: true, limit: chunk, ...before });
  strand.ahead.push(...items);
  strand.isRead = items.length < chunk;
}
