/** What is chosen among the entries of the audit log, as it stands in the address. */
export interface AuditSearch {
  /** The id of the actor. */
  readonly who?: string;
  /** How the name of the action begins. */
  readonly what?: string;
  /** The id of the object. */
  readonly object?: string;
  readonly in?: 'test' | 'prod';
  /** The first and the last day. */
  readonly from?: string;
  readonly to?: string;
  readonly request?: string;
}

const longestText = 300;

export function readAuditSearch(search: Record<string, unknown>): AuditSearch {
  const { in: env } = search;
  return {
    ...textsOf(search, ['who', 'what', 'object', 'request'], (text) => text.slice(0, longestText)),
    ...textsOf(search, ['from', 'to'], (text) => (isDay(text) ? text : '')),
    ...(env === 'test' || env === 'prod' ? { in: env } : {}),
  };
}

function textsOf<Name extends string>(
  search: Record<string, unknown>,
  names: readonly Name[],
  read: (text: string) => string,
): { readonly [N in Name]?: string } {
  const found: { [N in Name]?: string } = {};
  for (const name of names) {
    // The router reads what looks like a number as one.
    const value = search[name];
    const text = typeof value === 'string' || typeof value === 'number' ? read(String(value)) : '';
    if (text !== '') found[name] = text;
  }
  return found;
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** What the API takes for it. Days are UTC, and the last one belongs to the period. */
export function queryOf({ who, what, object, in: env, from, to, request }: AuditSearch) {
  return {
    actor: who,
    action: what,
    target: object,
    env,
    from,
    to: to === undefined ? undefined : dayAfter(to),
    request_id: request,
  };
}

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
}
