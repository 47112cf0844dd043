import type { Caller, SentRequest } from './send.ts';
import type { Stage } from './stage.ts';

/** What is asked beside the method and the place of the route. */
export type Asked = Partial<Omit<SentRequest, 'method'>>;

/** The largest that a route takes of some part, and takes: what is refused at once says little about its work. */
export interface Largest {
  /** What is as large as it may be. */
  readonly what: string;
  /** What it is answered with; a success unless it is said. */
  readonly status?: number;
  /** Makes the request, again for each time that it is sent. */
  readonly ask: (stage: Stage) => Asked | Promise<Asked>;
}

/** A route, and the largest that it may be sent. */
export interface Row {
  readonly as: Caller;
  /** The path that is called where a case names no other, without a query. */
  readonly target: (stage: Stage) => string;
  /**
   * What a request of any route may be (`any-request.ts`) is sent to every route; these are what makes the most work of
   * this one. None where its work depends on nothing that a caller chooses, as the reason says.
   */
  readonly largest: readonly Largest[] | { readonly nothing: string };
  /** Takes away what was made for the largest, where other requests would do more for it. */
  readonly tidy?: (stage: Stage) => Promise<void>;
  /** Why what is sent to every route is not sent to this one. */
  readonly notSentAnything?: string;
}

/** By `METHOD path`, as the tables of the gateways name routes. */
export type Rows = Readonly<Record<string, Row>>;
