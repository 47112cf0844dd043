/** Sends what a row of the table says, once the stage is set. */
import assert from 'node:assert/strict';
import type { TakesBody } from '../../api/request.ts';
import { anyRequest } from './any-request.ts';
import { type Answer, type GatewayName, send } from './send.ts';
import type { Stage } from './stage.ts';
import type { Largest, RequestOptions, Row } from './worst-case.ts';

/** A row with the route that it is of. */
export interface ExercisedRoute extends Row {
  readonly gateway: GatewayName;
  readonly method: string;
  readonly takesBody?: TakesBody;
}

/** What every route is sent, and what is largest of this one. */
export interface Case {
  readonly what: string;
  /** @throws AssertionError for an answer that says that something else was measured. */
  readonly demand: (answer: Answer) => void;
  readonly prepare: () => Promise<() => Promise<Answer>>;
}

export interface Cases {
  /** The request members that any route accepts. */
  readonly anything: readonly Case[];
  /** What is largest of this one. */
  readonly largest: readonly Case[];
}

export function casesOf(stage: Stage, place: ExercisedRoute): Cases {
  const { gateway, method, as, target, largest, notSentAnything } = place;
  const base = (): string => target(stage);
  const ready = (command: RequestOptions): (() => Promise<Answer>) => {
    const { headers = {}, ...rest } = command;
    const request = stage.raw({
      as,
      gateway,
      method,
      target: base(),
      ...rest,
      headers: typed(place, headers, rest.body),
    });
    return () => send(request);
  };
  const anything = notSentAnything === undefined ? anyRequest(place) : [];
  return {
    anything: anything.map((one) => ({
      what: one.what,
      demand: (answer: Answer) => demand(one.what, answer, answer.status < 500),
      prepare: async () => ready(behind(base(), await one.ask(stage))),
    })),
    largest: largest.map((one) => ({
      what: one.what,
      demand: (answer: Answer) => demand(one.what, answer, isAsExpected(one, answer)),
      prepare: async () => ready(await one.ask(stage)),
    })),
  };
}

function isAsExpected(one: Largest, { status, beginning }: Answer): boolean {
  if (one.mayMiss) return status < 500 && !isNotTaken.test(`${status} ${beginning}`);
  return one.status === undefined ? status >= 200 && status < 300 : status === one.status;
}

/** What says that the request is none that the route takes, or not from this caller. */
const isNotTaken = /^(0|400|403|405|413|415|429) |^401 .*"code":"token_missing"/;

function demand(what: string, { status, beginning }: Answer, isRight: boolean): void {
  assert.ok(isRight, `${what} was answered ${status}, which needs a row in worst-cases/rows or a change: ${beginning}`);
}

function behind(target: string, command: RequestOptions): RequestOptions {
  if (command.target === undefined) return command;
  const [path = '', query] = target.split('?');
  if (!command.target.startsWith('?')) return { ...command, target: path + command.target };
  return { ...command, target: `${path}${command.target}${query === undefined ? '' : `&${query}`}` };
}

/** A stream is sent under the first type that the route takes. */
function typed(
  { takesBody }: ExercisedRoute,
  headers: NonNullable<RequestOptions['headers']>,
  body: unknown,
): NonNullable<RequestOptions['headers']> {
  if (body === undefined || typeof takesBody !== 'object' || headers['content-type'] !== undefined) return headers;
  return { ...headers, 'content-type': takesBody.streamOf[0] ?? '' };
}
