import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

/** A provider on this machine that answers whatever a test lets it answer, and remembers what it was asked. */
export interface LoopbackProvider {
  readonly issuer: string;
  /** The path of each call, in the order they came. */
  readonly calls: string[];
  /** The number of calls that asked for keys. */
  keyCalls(): number;
  /** Answers a path from now on with a document, or with code of the test. */
  answer(path: string, answer: unknown | RequestListener): void;
  /** Publishes these keys, and no others. */
  publish(...keys: readonly ProviderKeyPair[]): void;
  /** Ends each connection without an answer, until it resumes. Its port is left to no other program meanwhile. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

export interface ProviderKeyPair {
  readonly jwk: JWK;
  /** Signs claims, with further members of the header. */
  sign(claims: Readonly<Record<string, unknown>>, header?: Readonly<Record<string, unknown>>): Promise<string>;
}

export const discoveryPath = '/.well-known/openid-configuration';
export const keysPath = '/keys';

export async function startLoopbackProvider(): Promise<LoopbackProvider> {
  const calls: string[] = [];
  const answers = new Map<string, unknown>();
  const server = createServer((request, reply) => {
    calls.push(request.url ?? '');
    respond(answers.get(request.url ?? ''), request, reply);
  });
  let isPaused = false;
  server.on('connection', (socket) => {
    if (isPaused) socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  answers.set(discoveryPath, { issuer, jwks_uri: `${issuer}${keysPath}` });
  return {
    issuer,
    calls,
    keyCalls: () => calls.filter((path) => path === keysPath).length,
    answer: (path, answer) => void answers.set(path, answer),
    publish: (...keys) => void answers.set(keysPath, { keys: keys.map(({ jwk }) => jwk) }),
    pause: () => {
      isPaused = true;
      server.closeAllConnections();
    },
    resume: () => {
      isPaused = false;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function respond(answer: unknown, request: IncomingMessage, reply: ServerResponse): void {
  if (typeof answer === 'function') answer(request, reply);
  else if (answer === undefined) reply.writeHead(404).end();
  else reply.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
}

/** `published` stands in for members of the public key: `{ alg: undefined }` leaves one out. */
export async function makeKeyPair(
  alg: string,
  kid: string,
  published: Readonly<Record<string, unknown>> = {},
): Promise<ProviderKeyPair> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig', ...published };
  return {
    jwk: JSON.parse(JSON.stringify(jwk)),
    sign: (claims, header = {}) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg, kid, ...header })
        .sign(privateKey, { crit: { x: true, b64: true } }),
  };
}
