import type { IncomingMessage } from 'node:http';
import type { BodyStream } from '../gateway/pipeline/body/body-stream.ts';

/** A request but for what its route describes. */
export interface RequestEnvelope {
  readonly incoming: IncomingMessage;
  readonly requestId: string;
  /** The address that the request comes from. */
  readonly ip: string;
  /** The body as it comes; undefined on routes that take no stream. */
  readonly stream: BodyStream | undefined;
}

/** A request as every handler gets it. */
export interface GatewayRequest extends RequestEnvelope {
  readonly params: Readonly<Record<string, string>>;
  readonly query: ReadonlyMap<string, string>;
  /** The parsed JSON body; undefined on routes that take none, and where none need be sent. */
  readonly body: unknown;
}

/**
 * The body a route takes: none, JSON that is read before the handler is asked, also only where one is sent, or a
 * stream of one of these types.
 */
export type TakesBody = boolean | 'where sent' | { readonly streamOf: readonly string[] };
