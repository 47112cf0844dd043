/**
 * What `node:http` costs by itself: reads the request's body to its end and answers JSON of the length that the
 * path names (`/200/321` is status 200 with 321 bytes). The answer goes out in one write.
 */
import { createServer } from 'node:http';

const bodies = new Map<number, string>();

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    answer();
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    Buffer.concat(chunks).toString('utf8');
    answer();
  });

  function answer(): void {
    const [, status, size] = (request.url ?? '').split('/');
    const length = Number(size);
    response.writeHead(Number(status), { 'content-type': 'application/json', 'content-length': length });
    response.end(bodyOf(length));
  }
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('a TCP server has a port');
  console.log(`ready ${address.port}`);
});

function bodyOf(length: number): string {
  const known = bodies.get(length);
  if (known !== undefined) return known;
  const body = JSON.stringify('x'.repeat(Math.max(length - 2, 0)));
  bodies.set(length, body);
  return body;
}
