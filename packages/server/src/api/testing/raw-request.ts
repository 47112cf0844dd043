import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

/**
 * The result of a reader of requests for this text, byte for byte as a client may send it. Only tests may use it.
 * @param lines the request line and the headers; `Host` is added where it is missing.
 */
export async function readRaw<T>(
  lines: readonly string[],
  read: (request: IncomingMessage) => T | Promise<T>,
  body: string | Uint8Array = '',
): Promise<T> {
  const outcome = Promise.withResolvers<T>();
  const server = createServer((request, response) => {
    const reading = (async () => read(request))();
    reading.then(outcome.resolve, outcome.reject);
    reading.finally(() => response.end()).catch(() => undefined);
  });
  server.on('clientError', (error, socket) => {
    socket.destroy();
    outcome.reject(error);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `${[...lines, ...(lines.some((line) => /^host:/i.test(line)) ? [] : ['Host: localhost'])].join('\r\n')}\r\n\r\n`,
  );
  socket.write(body);
  try {
    return await outcome.promise;
  } finally {
    socket.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
