/**
 * Preloaded into a platform, makes it do all that a soak has to find: memory and descriptors leak, calls are answered
 * wrongly, tokens are refused, connections break, and some deletes are answered that never were.
 */
import { openSync } from 'node:fs';
import { type IncomingMessage, Server, type ServerResponse } from 'node:http';
import { isMainThread } from 'node:worker_threads';

const leakedPerMinute = Number(process.env.SOAK_PLANTED_MEGABYTES_PER_MINUTE);
const kept: number[][] = [];
const numbersPerMegabyte = (1024 * 1024) / 8;

function leak(): void {
  const length = Math.round((leakedPerMinute / 60) * numbersPerMegabyte);
  kept.push(Array.from({ length }, (_, index) => kept.length + index + 0.5));
  openSync('/dev/null', 'r');
}

type Fault = (response: ServerResponse) => void;

const faults: readonly Fault[] = [
  (response) => void response.writeHead(500).end(),
  (response) => void response.writeHead(401).end(),
  (response) => void response.socket?.destroy(),
];
const callsBetweenFaults = 60;
const deletesBetweenFaults = 10;
let [calls, deletes] = [0, 0];

function faultOf({ method, url = '' }: IncomingMessage): Fault | undefined {
  if (!url.startsWith('/app/')) return undefined;
  if (method === 'DELETE' && url.includes('/delete/t') && ++deletes % deletesBetweenFaults === 0)
    return (response) => void response.writeHead(204).end();
  return ++calls % callsBetweenFaults === 0 ? faults[(calls / callsBetweenFaults) % faults.length] : undefined;
}

if (isMainThread) {
  setInterval(leak, 1000).unref();
  const { emit } = Server.prototype;
  Server.prototype.emit = function (event: string, ...given: unknown[]) {
    const fault = event === 'request' ? faultOf(given[0] as IncomingMessage) : undefined;
    if (fault === undefined) return emit.call(this, event, ...given);
    fault(given[1] as ServerResponse);
    return true;
  };
}
