/** What is chosen among the entries of the audit log, as it stands in the address. */
export interface AuditSearch {
  /** The id of the actor. */
  readonly who?: string | undefined;
  /** The beginning of the name of the action. */
  readonly what?: string | undefined;
  /** The id of the object. */
  readonly object?: string | undefined;
  readonly in?: 'test' | 'prod' | undefined;
  /** The first and the last day. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly request?: string | undefined;
}

const longestText = 300;

/** What makes no sense is undefined, not left out: the router would keep it as it was sent. */
export function readAuditSearch({
  who,
  what,
  object,
  in: env,
  from,
  to,
  request,
}: Record<string, unknown>): AuditSearch {
  return {
    who: textOf(who),
    what: textOf(what),
    object: textOf(object),
    in: env === 'test' || env === 'prod' ? env : undefined,
    from: isDay(from) ? from : undefined,
    to: isDay(to) ? to : undefined,
    request: textOf(request),
  };
}

/** The router reads what looks like a number as one. */
function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value).slice(0, longestText);
  return text === '' ? undefined : text;
}

function isDay(text: unknown): text is string {
  return typeof text === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
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
