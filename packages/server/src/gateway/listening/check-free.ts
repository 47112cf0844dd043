import { createServer, type ListenOptions, type Server } from 'node:net';

/**
 * Several listeners may share a port, also with those of another process: before the first of them, this looks whether
 * the port is free, and keeps other processes that share theirs from taking it until this one ends. Between the look and
 * the first listener the port itself says nothing, so a socket of Linux without a file stands for it.
 * @throws Error with a sentence for the operator where the port is taken.
 */
export async function claimPort(host: string, port: number): Promise<void> {
  const claim = await listening({ path: `\0freehold ${host}:${port}` }, { host, port });
  claim.unref();
  const probe = await listening({ host, port }, { host, port });
  await new Promise((resolve) => probe.close(resolve));
}

function listening(options: ListenOptions, named: Parameters<typeof portError>[0]): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => reject(portError(named, error)));
    server.listen(options, () => resolve(server));
  });
}

/** Why a listener cannot have a port, as a sentence for the operator. */
export function portError(
  { host, port }: { readonly host: string; readonly port: number },
  error: NodeJS.ErrnoException,
): Error {
  const why = error.code === 'EADDRINUSE' ? 'is taken by another program' : `cannot be used (${error.code})`;
  return new Error(`port ${port} on ${host} ${why}`, { cause: error });
}
