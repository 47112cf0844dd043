import { IncomingMessage, type ServerResponse } from 'node:http';

const awaited = new WeakSet<IncomingMessage>();

/**
 * Sends `100 Continue` once the body is read, and not before: a request that is refused by its head gets its refusal in
 * place of it, and its client sends no body (RFC 9110, section 10.1.1).
 */
export function continueWhenRead(incoming: IncomingMessage, response: ServerResponse): void {
  awaited.add(incoming);
  const read = IncomingMessage.prototype._read;
  incoming._read = (size) => {
    incoming._read = read;
    awaited.delete(incoming);
    if (!response.headersSent) response.writeContinue();
    read.call(incoming, size);
  };
}

/** Whether the client of the request still waits for `100 Continue`. */
export function isAwaited(incoming: IncomingMessage): boolean {
  return awaited.has(incoming);
}
