/** What this browser remembers of an entity's list. Without storage, as in a private window, nothing is remembered. */
import type { ListSearch } from './list/list-search.ts';

interface Of {
  readonly org: string;
  readonly entity: string;
}

/** The columns that were chosen last, as they stand in the address. */
export function keptColumns(of: Of): string | undefined {
  const kept = read(keyOf('columns', of));
  return typeof kept === 'string' ? kept : undefined;
}

export function keepColumns(of: Of, columns: string): void {
  write(keyOf('columns', of), columns);
}

/** A list under a name. */
export interface SavedView {
  readonly name: string;
  readonly search: ListSearch;
}

export function keptViews(of: Of): readonly SavedView[] {
  const kept = read(keyOf('views', of));
  return Array.isArray(kept) ? kept.filter(isView) : [];
}

export function keepViews(of: Of, views: readonly SavedView[]): void {
  write(keyOf('views', of), views);
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== 'object' || value === null) return false;
  const { name, search } = value as Partial<SavedView>;
  return typeof name === 'string' && typeof search === 'object' && search !== null;
}

function keyOf(what: string, { org, entity }: Of): string {
  return `freehold.${what}/${org}/${entity}`;
}

function read(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null');
  } catch {
    return undefined;
  }
}

function write(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // It is forgotten with the page.
  }
}
