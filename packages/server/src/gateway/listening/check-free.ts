import { createServer } from 'node:net';

/**
 * Several listeners may share a port, also with those of another program: the first looks whether it is free.
 * @throws Error with a sentence for the operator where it is not.
 */
export function checkFree(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => reject(portError({ host, port }, error)));
    probe.listen({ host, port }, () => probe.close(() => resolve()));
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
