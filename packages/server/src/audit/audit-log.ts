import type { Item, Scope } from '../store/port.ts';
import { type AuditEntry, type AuditEnvironment, orgAudit, platformAudit } from './audit-entry.ts';

/** What was done to an org and by whom, the latest first. Nothing changes an entry or takes it away. */
export interface AuditLog {
  /** @throws Problem `invalid_cursor`. */
  read(orgCode: string, query: AuditQuery): Promise<AuditPage>;
}

export interface AuditQuery {
  readonly pageSize: number;
  readonly nexttoken: string | undefined;
  /** Only what was done in this environment. */
  readonly env: AuditEnvironment | undefined;
  /** Only what this actor did, by id. */
  readonly actor: string | undefined;
  /** Only actions that start with this. */
  readonly action: string | undefined;
}

export interface AuditPage {
  readonly items: readonly AuditEntry[];
  readonly nexttoken: string | null;
}

export interface AuditLogParts {
  readonly platform: Scope;
  readonly orgScopes: (orgCode: string) => Readonly<Record<AuditEnvironment, Scope>>;
  /** Makes a text of a place that only its own list opens. */
  readonly cursors: {
    seal(position: string, binding: readonly string[]): string;
    open(cursor: string, binding: readonly string[]): string;
  };
}

/** A page that looks for few among many ends short, with a token for what comes after. */
const entriesReadMax = 1000;
const chunk = 100;

export function createAuditLog(parts: AuditLogParts): AuditLog {
  return {
    read: async (orgCode, query) => {
      const { env, actor, action, nexttoken } = query;
      const binding = ['audit', orgCode, JSON.stringify([env, actor, action])];
      const places = nexttoken === undefined ? {} : (JSON.parse(parts.cursors.open(nexttoken, binding)) as Places);
      const strands = strandsOf(parts, orgCode, { query, places });
      const items = await readItems(strands, query);
      const isAtEnd = (await latest(strands)) === undefined;
      const position = JSON.stringify(Object.fromEntries(strands.map(({ name, place }) => [name, place])));
      return { items, nexttoken: isAtEnd ? null : parts.cursors.seal(position, binding) };
    },
  };
}

/** By the name of a strand: the sort key of the entry of it that was looked at last. */
type Places = Readonly<Record<string, string | undefined>>;

/** One partition of entries, read from its end; each is in the order of its scope's commits. */
interface Strand {
  readonly name: string;
  readonly scope: Scope;
  readonly pk: string;
  place: string | undefined;
  readonly ahead: Item[];
  isRead: boolean;
}

function strandsOf(
  { platform, orgScopes }: AuditLogParts,
  orgCode: string,
  { query, places }: { readonly query: AuditQuery; readonly places: Places },
): readonly Strand[] {
  const { test, prod } = orgScopes(orgCode);
  const all = [
    { name: 'platform', scope: platform, pk: platformAudit(orgCode) },
    { name: 'test', scope: test, pk: orgAudit },
    { name: 'prod', scope: prod, pk: orgAudit },
  ];
  const isAsked = (name: string): boolean => name === 'platform' || query.env === undefined || name === query.env;
  return all
    .filter(({ name }) => isAsked(name))
    .map((one) => ({ ...one, place: places[one.name], ahead: [], isRead: false }));
}

async function readItems(strands: readonly Strand[], query: AuditQuery): Promise<readonly AuditEntry[]> {
  const items: AuditEntry[] = [];
  for (let read = 0; read < entriesReadMax && items.length < query.pageSize; read++) {
    const found = await latest(strands);
    if (found === undefined) break;
    found.strand.place = found.strand.ahead.shift()?.sk;
    if (isAskedFor(found.entry, query)) items.push(found.entry);
  }
  return items;
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

async function peek(strand: Strand): Promise<AuditEntry | undefined> {
  if (strand.ahead.length === 0 && !strand.isRead) {
    const before = strand.place === undefined ? {} : { before: strand.place };
    const items = await strand.scope.range(strand.pk, { reverse: true, limit: chunk, ...before });
    strand.ahead.push(...items);
    strand.isRead = items.length < chunk;
  }
  const [next] = strand.ahead;
  return next === undefined ? undefined : (JSON.parse(next.value) as AuditEntry);
}

function isAskedFor(entry: AuditEntry, { env, actor, action }: AuditQuery): boolean {
  if (env !== undefined && entry.env !== env) return false;
  if (actor !== undefined && entry.actor.id !== actor) return false;
  return action === undefined || entry.action.startsWith(action);
}
