import type { ServerResponse } from 'node:http';

/**
 * Sends a reply piece by piece, no faster than the client takes it; where the client leaves, the stream is returned.
 * An empty piece says that there is nothing to send yet, and that the connection is not idle for it.
 * The head goes out with the first piece, so that a stream that fails at once can still be answered with a refusal.
 * @throws whatever the stream throws.
 */
export async function sendStream(
  response: ServerResponse,
  stream: AsyncIterable<string | Uint8Array>,
  writeHead: () => void,
): Promise<void> {
  for await (const piece of stream) {
    if (response.destroyed) return;
    if (piece === '') {
      response.socket?.setTimeout(response.socket.timeout ?? 0);
      continue;
    }
    if (!response.headersSent) writeHead();
    if (!response.write(piece)) await roomIn(response);
    if (response.destroyed) return;
  }
  if (!response.headersSent) writeHead();
  response.end();
}

/**
 * The head of such a reply alone. What comes first of the stream is made all the same, for its refusals, and nothing after it.
 * @throws whatever the stream throws.
 */
export async function sendHeadOf(
  response: ServerResponse,
  stream: AsyncIterable<string | Uint8Array>,
  writeHead: () => void,
): Promise<void> {
  for await (const _ of stream) break;
  if (response.destroyed) return;
  writeHead();
  response.end();
}

/** Resolves when the client has taken what waits for it, or has left. */
function roomIn(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      response.off('drain', settle);
      response.off('close', settle);
      resolve();
    };
    response.on('drain', settle);
    response.on('close', settle);
  });
}
