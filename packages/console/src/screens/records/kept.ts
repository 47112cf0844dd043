/** What this browser remembers of an entity's list. Without storage, as in a private window, nothing is remembered. */

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
