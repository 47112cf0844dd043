import { createServer } from 'node:net';

/**
 * A port that a program can be started at, and started at again. It is below those that the system gives to connections of
 * its own accord, so that none of them takes it before the program does or between two starts.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 18_000);
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer();
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
