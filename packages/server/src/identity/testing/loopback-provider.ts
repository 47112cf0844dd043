import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

/** A provider on this machine that answers whatever a test lets it answer, and remembers what it was asked. */
export interface LoopbackProvider {
  readonly issuer: string;
  /** The path of each call, in the order they came. */
  readonly calls: string[];
  /** How many of them asked for keys. */
  keyCalls(): number;
  /** Answers a path from now on with a document, or with code of the test. */
  answer(path: string, answer: unknown | RequestListener): void;
  /** Publishes these keys, and no others. */
  publish(...keys: readonly ProviderKeyPair[]): void;
  /** Stops listening; `resume` takes the same port. */
  stop(): Promise<void>;
  resume(): Promise<void>;
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
  const listen = async (port: number): Promise<number> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(0);
  const issuer = `http://127.0.0.1:${port}`;
  answers.set(discoveryPath, { issuer, jwks_uri: `${issuer}${keysPath}` });
  return {
    issuer,
    calls,
    keyCalls: () => calls.filter((path) => path === keysPath).length,
    answer: (path, answer) => void answers.set(path, answer),
    publish: (...keys) => void answers.set(keysPath, { keys: keys.map(({ jwk }) => jwk) }),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
    resume: async () => void (await listen(port)),
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
