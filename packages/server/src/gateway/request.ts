import type { IncomingMessage } from 'node:http';

/** A request as every handler gets it. */
export interface GatewayRequest {
  readonly incoming: IncomingMessage;
  readonly requestId: string;
  /** The address that the request comes from. */
  readonly ip: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: ReadonlyMap<string, string>;
  /** The parsed JSON body; undefined on routes that take none. */
  readonly body: unknown;
}
