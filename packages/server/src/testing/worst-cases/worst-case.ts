import type { Caller, SentRequest } from './send.ts';
import type { Stage } from './stage.ts';

/** What is asked beside the method and the place of the route. */
export type RequestOptions = Partial<Omit<SentRequest, 'method'>>;

/** The largest that a route takes of some part, and takes: what is refused at once says little about its work. */
export interface Largest {
  /** What is as large as it may be. */
  readonly what: string;
  /** What it is answered with; a success unless it is said. */
  readonly status?: number;
  /** Also a refusal of what is not there, is there already or is not known: nothing is said of what stands. */
  readonly mayMiss?: true;
  /** Makes the request, again for each time that it is sent. */
  readonly ask: (stage: Stage) => RequestOptions | Promise<RequestOptions>;
}

/** A route, and the largest that it may be sent: by its description, unless a row says otherwise (`default-row.ts`). */
export interface Row {
  readonly as: Caller;
  /** The path that is called where a case names no other, without a query. */
  readonly target: (stage: Stage) => string;
  /** What a request of any route may be (`any-request.ts`) is sent to every route; these are what makes the most work of this one. */
  readonly largest: readonly Largest[];
  /** Takes away what was made for the largest, where other requests would do more for it. */
  readonly tidy?: (stage: Stage) => Promise<void>;
  /** Why what is sent to every route is not sent to this one. */
  readonly notSentAnything?: string;
}

/** What the description of a route does not say. */
export interface WrittenRow extends Partial<Row> {
  /** Members of the body in place of those that the description gives: a member that is undefined is not sent. */
  readonly members?: (stage: Stage) => object;
}

/** By `METHOD path`, as the tables of the gateways name routes. */
export type Rows = Readonly<Record<string, WrittenRow>>;
