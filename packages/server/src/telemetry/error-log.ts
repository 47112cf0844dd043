import type { platformErrorsApi } from '@freehold/contract/management/operator/errors';
import type { ReplyOf } from '@freehold/contract/route';
import { type Clock, timestamp } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';

type ErrorsPage = ReplyOf<typeof platformErrorsApi.listErrors>;

/** An error as the operator is shown it. */
export type ShownError = ErrorsPage['items'][number];

export interface ErrorsQuery {
  readonly requestId: string | undefined;
  readonly pageSize: number;
  readonly nexttoken: string | undefined;
}

/** The last errors of a node since it started, in memory. */
export interface ErrorLog {
  add(error: Omit<ShownError, 'at'>): void;
  /** The latest first. @throws Problem `invalid_cursor`. */
  list(query: ErrorsQuery): ErrorsPage;
}

interface Kept {
  readonly number: number;
  readonly error: ShownError;
}

const eachMax = 500;
const lengthMax = { short: 128, long: 300 } as const;

/**
 * Requests that failed, requests that were refused because the node could not serve, and work in the background are kept
 * apart: while a store is away there are very many of the last two, and the first are what people ask about.
 */
export function createErrorLog(clock: Clock): ErrorLog {
  const since = timestamp(clock.now());
  const rings: Readonly<Record<'failed' | 'unavailable' | 'background', Kept[]>> = {
    failed: [],
    unavailable: [],
    background: [],
  };
  const ringOf = ({ kind, problem }: Omit<ShownError, 'at'>): Kept[] => {
    if (kind === 'background') return rings.background;
    return problem === 'unavailable' ? rings.unavailable : rings.failed;
  };
  let count = 0;
  return {
    add: (error) => {
      count += 1;
      const ring = ringOf(error);
      ring.push({ number: count, error: bounded({ at: timestamp(clock.now()), ...error }) });
      if (ring.length > eachMax) ring.shift();
    },
    list: ({ requestId, pageSize, nexttoken }) => {
      const before = nexttoken === undefined ? Number.POSITIVE_INFINITY : readCursor(nexttoken, since);
      const all = Object.values(rings).flat();
      const chosen = all
        .filter(({ number, error }) => number < before && (requestId === undefined || error.request_id === requestId))
        .sort((left, right) => right.number - left.number);
      const shown = chosen.slice(0, pageSize);
      const last = chosen.length > pageSize ? shown.at(-1) : undefined;
      return {
        since,
        dropped: count - all.length,
        items: shown.map(({ error }) => error),
        nexttoken: last === undefined ? null : `${Date.parse(since)}-${last.number}`,
      };
    },
  };
}

/** A position means something until the node ends. */
function readCursor(nexttoken: string, since: string): number {
  const [, start, number] = /^(\d{1,15})-(\d{1,15})$/.exec(nexttoken) ?? [];
  if (Number(start) !== Date.parse(since)) throw new Problem('invalid_cursor', 'the cursor is of no page of this node');
  return Number(number);
}

/** Each entry is of a few hundred characters at most, whatever an error or a caller says. */
function bounded(error: ShownError): ShownError {
  const cut = (text: string | null, max: number = lengthMax.short) =>
    text === null ? null : text.slice(0, max).toWellFormed();
  const { fault } = error;
  return {
    ...error,
    request_id: cut(error.request_id),
    method: cut(error.method),
    route: cut(error.route, lengthMax.long),
    problem: cut(error.problem),
    org: cut(error.org),
    job: cut(error.job),
    fault: fault && {
      name: fault.name.slice(0, lengthMax.short).toWellFormed(),
      code: cut(fault.code),
      message: cut(fault.message, lengthMax.long),
      place: cut(fault.place, lengthMax.long),
    },
  };
}
