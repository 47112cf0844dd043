import type { IncomingMessage } from 'node:http';

/** The part of a request that a route may read beside the inputs that its description names. */
export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'httpVersion' | 'headers' | 'rawHeaders' | 'socket'>;

/** A request but for what its route describes. */
export interface RequestEnvelope {
  readonly head: RequestHead;
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

/** A body that is read as it comes, as long as it gets. The listener drops what its reader leaves. */
export interface BodyStream {
  readonly mediaType: string;
  /** Throws `invalid_request` where the client leaves before the end. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/**
 * The body a route takes: none, JSON that is read before the handler is asked, also only where one is sent, or a
 * stream of one of these types.
 */
export type TakesBody = boolean | 'where sent' | { readonly streamOf: readonly string[] };
