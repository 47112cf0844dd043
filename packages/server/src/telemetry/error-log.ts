import type { platformErrorsApi } from '@freehold/contract/management/operator/errors';
import type { ReplyOf } from '@freehold/contract/route';
import { type Clock, timestamp } from '../lib/clock.ts';
import { sourcePrefixes } from '../lib/installation.ts';
import { Problem } from '../lib/problem.ts';

type ErrorsPage = ReplyOf<typeof platformErrorsApi.listErrors>;

/** An error as the operator is shown it. */
export type ShownError = ErrorsPage['items'][number];

/** One as it happens; the log knows when, and how often. */
type NewError = Omit<ShownError, 'at' | 'first_at' | 'times'>;

interface ErrorsQuery {
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

interface LoggedError {
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
  const rings: Readonly<Record<'failed' | 'unavailable', LoggedError[]>> = { failed: [], unavailable: [] };
  /** By the work that failed and its fault, the latest at the end. */
  const background = new Map<string, LoggedError>();
  const addRequest = (kept: LoggedError): void => {
    const ring = awayProblems.has(kept.error.problem) ? rings.unavailable : rings.failed;
    ring.push(kept);
    if (ring.length > eachMax) ring.shift();
  };
  const addBackground = ({ number, error }: LoggedError): void => {
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

export type ErrorFault = NonNullable<ShownError['fault']>;

const charactersRead = 8000;
const causesRead = 2;

/**
 * The part of an error that may be shown. The sentences of other code quote what it was given, as `JSON.parse` does;
 * those of the platform's own code are shown without what could have been sent.
 */
export function faultOfError(error: unknown): ErrorFault {
  if (!(error instanceof Error)) return { name: typeof error, code: null, message: null, place: null };
  const messages: string[] = [];
  let place: string | undefined;
  let code: string | undefined;
  let one: unknown = error;
  for (let depth = 0; depth <= causesRead && one instanceof Error; depth++) {
    const frames = framesOf(one);
    if (placeOf(frames[0]) !== undefined && one.message !== '') messages.push(withoutSent(one.message));
    place ??= frames.map(placeOf).find((found) => found !== undefined);
    code ??= codeOf(one);
    one = one.cause;
  }
  return {
    name: error.name,
    code: code ?? null,
    message: messages.length === 0 ? null : messages.join(': '),
    place: place ?? null,
  };
}

/** The lines of the calls alone: a sentence may have lines that look like them. */
function framesOf({ stack = '', message }: Error): readonly string[] {
  const at = message === '' ? -1 : stack.indexOf(message);
  const calls = at === -1 ? stack : stack.slice(at + message.length);
  return calls
    .slice(0, charactersRead)
    .split('\n')
    .filter((line) => line.startsWith('    at '));
}

/** `records/record.ts:120`; undefined for a line of other code. */
function placeOf(frame: string | undefined): string | undefined {
  const prefix = sourcePrefixes.find((one) => frame?.includes(one));
  if (frame === undefined || prefix === undefined) return undefined;
  const inside = frame.slice(frame.indexOf(prefix) + prefix.length);
  const [, file, line] = /^([\w./-]{1,200}):(\d{1,9})(?::\d{1,9})?\)?$/.exec(inside) ?? [];
  return file === undefined ? undefined : `${file}:${line}`;
}

/** Such as `ENOSPC`, `SQLITE_FULL` or that of PostgreSQL. */
function codeOf(error: Error): string | undefined {
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : undefined;
}

/** Takes out what may be a person's or a secret: addresses, texts in quotes, and long runs without a blank. */
function withoutSent(message: string): string {
  return message
    .slice(0, 500)
    .replaceAll(/"[^"]*"?/g, '"…"')
    .replaceAll(/\S+:\/\/\S+/g, '…')
    .replaceAll(/\S+@\S+/g, '…')
    .replaceAll(/[\w+/=.~-]{24,}/g, '…')
    .replaceAll(/\s+/g, ' ');
}
