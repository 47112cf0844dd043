/** What the self-tests plant into a platform: a route whose work its caller chooses, all of it in one turn. */
import { type IncomingMessage, Server, type ServerResponse } from 'node:http';

/** A header that is the amount: so many rounds, or so many bytes that are kept. */
export const workHeader = 'x-planted-rounds';
export const memoryHeader = 'x-planted-bytes';

const kept: Uint8Array[] = [];

export function work(rounds: number): number {
  let sum = 0;
  for (let round = 0; round < rounds; round++) sum = (sum * 31 + round) % 1_000_003;
  return sum;
}

/** Requests with one of the headers do that before they are answered as ever. */
export function plantWork(): () => void {
  const { emit } = Server.prototype;
  Server.prototype.emit = function (event: string, ...given: unknown[]) {
    if (event === 'request') spend(given[0] as IncomingMessage, given[1] as ServerResponse);
    return emit.call(this, event, ...given);
  };
  return () => {
    Server.prototype.emit = emit;
  };
}

function spend({ headers }: IncomingMessage, response: ServerResponse): void {
  const sum = work(Number(headers[workHeader] ?? 0));
  const bytes = Number(headers[memoryHeader] ?? 0);
  if (bytes > 0) kept.push(new Uint8Array(bytes).fill(sum));
  // So that neither is left out for having no effect.
  if (bytes > 0 || sum > 0) response.setHeader('x-planted', `${kept.length} ${sum}`);
}
