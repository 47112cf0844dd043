import type { platformErrorsApi } from '@freehold/contract/management/operator/errors';
import type { ReplyOf } from '@freehold/contract/route';
import { type Clock, timestamp } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';

type ErrorsPage = ReplyOf<typeof platformErrorsApi.listErrors>;

/** An error as the operator is shown it. */
export type ShownError = ErrorsPage['items'][number];

/** One as it happens; the log knows when, and how often. */
export type NewError = Omit<ShownError, 'at' | 'first_at' | 'times'>;

export interface ErrorsQuery {
  readonly requestId: string | undefined;
  readonly pageSize: number;
  readonly nexttoken: string | undefined;
}

/** The last errors of a node since it started, in memory. */
export interface ErrorLog {
  add(error: NewError): void;
  /** The latest first. @throws Problem `invalid_cursor`. */
  list(query: ErrorsQuery): ErrorsPage;
}

interface Kept {
  readonly number: number;
  readonly error: ShownError;
}

const eachMax = 500;
const lengthMax = { short: 128, long: 300 } as const;

/** The problems of 503. */
const awayProblems: ReadonlySet<string | null> = new Set(['unavailable', 'outcome_unknown']);

/**
 * Requests that failed, requests that were refused because the node could not serve, and work in the background are kept
 * apart: while a store is away there are very many of the last two, and the first are what people ask about. Work that
 * fails each second by the same fault is one entry, which counts: else it would drive out what failed before.
 */
export function createErrorLog(clock: Clock): ErrorLog {
  const since = timestamp(clock.now());
  const rings: Readonly<Record<'failed' | 'unavailable', Kept[]>> = { failed: [], unavailable: [] };
  /** By the work that failed and its fault, the latest at the end. */
  const background = new Map<string, Kept>();
  const addRequest = (kept: Kept): void => {
    const ring = awayProblems.has(kept.error.problem) ? rings.unavailable : rings.failed;
    ring.push(kept);
    if (ring.length > eachMax) ring.shift();
  };
  const addBackground = ({ number, error }: Kept): void => {
    const key = JSON.stringify([error.job, error.fault]);
    const { times, first_at } = background.get(key)?.error ?? { times: 0, first_at: error.at };
    background.delete(key);
    background.set(key, { number, error: { ...error, times: times + 1, first_at } });
    const [oldest] = background.keys();
    if (background.size > eachMax && oldest !== undefined) background.delete(oldest);
  };
  let count = 0;
  return {
    add: (error) => {
      count += 1;
      const at = timestamp(clock.now());
      const kept = { number: count, error: bounded({ at, times: 1, first_at: at, ...error }) };
      if (error.kind === 'background') addBackground(kept);
      else addRequest(kept);
    },
    list: ({ requestId, pageSize, nexttoken }) => {
      const before = nexttoken === undefined ? Number.POSITIVE_INFINITY : readCursor(nexttoken, since);
      const all = [...rings.failed, ...rings.unavailable, ...background.values()];
      const chosen = all
        .filter(({ number, error }) => number < before && (requestId === undefined || error.request_id === requestId))
        .sort((left, right) => right.number - left.number);
      const shown = chosen.slice(0, pageSize);
      const last = chosen.length > pageSize ? shown.at(-1) : undefined;
      return {
        since,
        dropped: count - all.reduce((sum, { error }) => sum + error.times, 0),
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
