import type { Item, Scope } from '../store/port.ts';
import { type AuditEntry, readEntry } from './audit-entry.ts';

/** A partition of entries, each in the order of its scope's commits. */
export interface Source {
  readonly name: string;
  readonly scope: Scope;
  readonly pk: string;
}

/** One of them, read from its end. */
export interface Strand extends Source {
  place: string | undefined;
  readonly ahead: Item[];
  isRead: boolean;
}

/** By the name of a strand: where what was looked at begins. */
export type Places = Readonly<Record<string, string | undefined>>;

const chunk = 100;

export function openStrand(source: Source, places: Places): Strand {
  return { ...source, place: places[source.name], ahead: [], isRead: false };
}

export function placesOf(strands: readonly Strand[]): Places {
  return Object.fromEntries(strands.map((strand) => [strand.name, strand.place ?? placeAbove(strand)]));
}

/**
 * Of a strand that no entry was taken of, all that stands is below its place, and what is appended meanwhile above:
 * later pages show nothing that came after the first. Sort keys of entries begin with a digit and hold no `~`.
 */
function placeAbove({ ahead: [next] }: Strand): string {
  return next === undefined ? belowAll : `${next.sk}~`;
}

const belowAll = '!';

/** Goes on behind the entry that was looked at. */
export function take(strand: Strand): void {
  strand.place = strand.ahead.shift()?.sk;
}

/** The strand whose next entry is the latest of all. Clocks may step back; strands never lose or repeat an entry. */
export async function latest(
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
