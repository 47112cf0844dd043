/** A gateway and its own OpenAPI document: each of its answers is held to that document. */
import assert from 'node:assert/strict';
import { type CallOptions, call, type Reply } from './call.ts';
import { type OpenapiDocument, readOpenapi } from './openapi-document.ts';
import { type GatewayName, recordCall } from './openapi-examples.ts';
import type { BuiltRequest } from './openapi-requests.ts';
import type { AppUser, Org } from './org.ts';

export interface DocumentedGateway {
  readonly document: OpenapiDocument;
  /** Calls an operation; the answer must be one that the document describes. */
  send<Body>(operationId: string, request: Partial<BuiltRequest> & CallOptions): Promise<Reply<Body>>;
  /** Whether an answer with this status was met. */
  hasMet(operationId: string, status: number): boolean;
}

/** The app gateway, as the document of the user's org tells of it. @param view by which replies show records. */
export function documentedApp({ org, token }: AppUser, view = 'default'): Promise<DocumentedGateway> {
  return documentedGateway('app', org.app, `/app/${org.code}/openapi.json?view=${view}`, { token });
}

export function documentedManagement({ management }: Org): Promise<DocumentedGateway> {
  return documentedGateway('management', management, '/openapi.json', {});
}

async function documentedGateway(
  name: GatewayName,
  gateway: string,
  path: string,
  options: CallOptions,
): Promise<DocumentedGateway> {
  const reply = await call('GET', gateway + path, options);
  assert.equal(reply.status, 200, reply.text);
  const document = readOpenapi(reply.text);
  const met = new Set<string>();
  return {
    document,
    send: async <Body>(operationId: string, request: Partial<BuiltRequest> & CallOptions) => {
      const operation = document.operation(operationId);
      const { path = {}, query = {}, ...rest } = request;
      const filled = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => path[name] ?? 'nothing');
      const search = new URLSearchParams(query).toString();
      const answer = await call<Body>(
        operation.method,
        `${gateway}${filled}${search === '' ? '' : `?${search}`}`,
        rest,
      );
      document.assertDocumented(operation, answer);
      recordCall(name, document, { operation, options: rest, reply: answer });
      met.add(`${operationId} ${answer.status}`);
      return answer;
    },
    hasMet: (operationId, status) => met.has(`${operationId} ${status}`),
  };
}
