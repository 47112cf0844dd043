import { createServer } from 'node:net';
import { type Finding, fault, good, note, reasonOf } from './finding.ts';

export interface PortToCheck {
  readonly host: string;
  readonly port: number;
  /** The setting that says which port it is. */
  readonly setting: string;
}

/** Whether a platform that starts now could listen there. */
export async function checkPort({ host, port, setting }: PortToCheck): Promise<Finding> {
  const place = `port ${port} on ${host}`;
  const reason = await whyNot(host, port);
  if (reason === undefined) return good(`${place} is free`);
  if (reason === 'EADDRINUSE' && (await isPlatform(host, port)))
    return note(`${place} is taken by a platform that answers: end it before another one is started there`);
  if (reason === 'EADDRINUSE')
    return fault(`${place} is taken by another program: end that one, or set ${setting} to a free port`);
  if (reason === 'EACCES')
    return fault(`${place} is not for this user: set ${setting} to a port above 1023 and put a proxy in front`);
  if (reason === 'EADDRNOTAVAIL')
    return fault(
      `${host} is no address of this machine: set FREEHOLD_HOST, or the address in ${setting}, to one that is`,
    );
  return fault(`${place} cannot be used (${reason}): set ${setting} or FREEHOLD_HOST otherwise`);
}

function whyNot(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(reasonOf(error)));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

async function isPlatform(host: string, port: number): Promise<boolean> {
  const shown = host.includes(':') ? `[${host}]` : host;
  try {
    const reply = await fetch(`http://${shown}:${port}/healthz`, { signal: AbortSignal.timeout(patience) });
    return reply.headers.has('x-request-id') && (await reply.text()) === '{"status":"ok"}';
  } catch {
    return false;
  }
}

const patience = 3000;
