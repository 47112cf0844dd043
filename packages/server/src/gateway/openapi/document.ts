import { createHash } from 'node:crypto';
import { managementApi } from '@freehold/contract/management';
import { inboxApi } from '@freehold/contract/management/inbox';
import { signInLinksApi } from '@freehold/contract/management/sign-in-links';
import type { ProblemCode } from '@freehold/contract/problem';
import type { Route } from '@freehold/contract/route';
import { tags as describedTags, type Tag } from '@freehold/contract/tags';
import { isNoneMatch } from '../../api/headers/preconditions.ts';
import type { Reply } from '../../api/reply.ts';
import type { RequestHead } from '../../api/request.ts';
import type { JsonSchema } from '../../lib/json-schema.ts';
import type { ConfigKinds } from '../../promotion/port.ts';
import { describedOperations } from './described-operations.ts';
import { recordedExamples } from './examples/recorded-examples.ts';
import { madeSchemas } from './made-schemas.ts';
import { type HeaderName, headerComponents, type Operation, problemsOf } from './operation.ts';
import {
  groupProblems,
  problemComponents,
  problemSchemas,
  renderOperation,
  templatedPath,
} from './render-operation.ts';

/** The source of the document of a gateway. */
interface DocumentDeps {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** In groups that have no path in common. */
  readonly operations: Iterable<readonly Operation[]>;
  /** In groups that have no name in common. */
  readonly schemas: Iterable<Readonly<Record<string, JsonSchema>>>;
  /** Any one of them lets a caller in. */
  readonly securitySchemes: Readonly<Record<string, JsonSchema>>;
  /** The problems of a token. */
  readonly tokenProblems: readonly ProblemCode[];
}

/** The text of an OpenAPI 3.1 document, a piece for each group, so that others are served between the pieces of a long one. */
export function* documentPieces(deps: DocumentDeps): Generator<string> {
  const { title, version, description, operations, schemas, securitySchemes, tokenProblems } = deps;
  const tags = new Set<string>();
  const problems = new Map<string, readonly ProblemCode[]>();
  const headers = new Set<HeaderName>(['X-Request-Id', 'WWW-Authenticate', 'Retry-After']);
  const head = {
    openapi: '3.1.0',
    info: { title, version, description, contact, license },
    servers: [{ url: '/', description: 'The host that this document was read from.' }],
    security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
  };
  yield `{${membersOf(head)},"paths":{`;
  const writePaths = memberWriter();
  for (const group of operations) {
    for (const operation of group) {
      tags.add(operation.tag);
      for (const reply of operation.replies) for (const header of reply.headers ?? []) headers.add(header);
      for (const codes of groupProblems(problemsOf(operation, tokenProblems)).values())
        problems.set(codes.join(), codes);
    }
    yield writePaths(renderPaths(group, tokenProblems));
  }
  yield '},"components":{"schemas":{';
  const writeSchemas = memberWriter();
  yield writeSchemas(problemSchemas);
  for (const group of schemas) yield writeSchemas(withoutProblems(group));
  const rest = {
    responses: problemComponents([...problems.values()]),
    headers: headerComponents([...headers]),
    securitySchemes,
  };
  yield `},${membersOf(rest)}},${membersOf({ tags: [...tags].sort().map(tagObject) })}}`;
}

const contact = { name: 'The operator of this platform' };
const license = { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' };

/** Operations of records are grouped by their entity. */
function tagObject(name: string): JsonSchema {
  return { name, description: isTag(name) ? describedTags[name] : `Records of the entity \`${name}\`.` };
}

function isTag(name: string): name is Tag {
  return Object.hasOwn(describedTags, name);
}

/** Operations may refer to the schemas of problems too, which stand in the document already. */
function withoutProblems(group: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return Object.fromEntries(Object.entries(group).filter(([name]) => !Object.hasOwn(problemSchemas, name)));
}

/** The members of an object, without its braces. */
function membersOf(object: JsonSchema): string {
  return JSON.stringify(object).slice(1, -1);
}

/** Writes the members of several objects as those of one. */
function memberWriter(): (object: JsonSchema) => string {
  let isFirst = true;
  return (object) => {
    const members = membersOf(object);
    const text = isFirst || members === '' ? members : `,${members}`;
    if (members !== '') isFirst = false;
    return text;
  };
}

function renderPaths(operations: readonly Operation[], tokenProblems: readonly ProblemCode[]): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const operation of operations) {
    const path = templatedPath(operation.path);
    paths[path] ??= {};
    paths[path][operation.method.toLowerCase()] = renderOperation(operation, tokenProblems);
  }
  return paths;
}

/** A document as it is sent. Its tag is of its text, so that it changes also where only the platform has changed. */
export interface DocumentText {
  readonly pieces: readonly string[];
  readonly characters: number;
  readonly etag: string;
}

export async function documentText(pieces: Iterable<string> | AsyncIterable<string>): Promise<DocumentText> {
  const kept: string[] = [];
  const digest = createHash('sha256');
  let characters = 0;
  for await (const piece of pieces) {
    kept.push(piece);
    digest.update(piece);
    characters += piece.length;
  }
  return { pieces: kept, characters, etag: `"${digest.digest('base64url')}"` };
}

/** The document, or 304 where the caller has it. */
export function documentReply(incoming: RequestHead, { pieces, etag }: DocumentText): Reply {
  const headers = { ETag: etag };
  return isNoneMatch(incoming, etag) ? { status: 304, headers } : { status: 200, stream: inPieces(pieces), headers };
}

async function* inPieces(pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces;
}

/** The optional features of a platform: its document leaves out the routes that would always be 404. */
export interface DocumentedFeatures {
  readonly hasOperator: boolean;
  readonly hasInbox: boolean;
  readonly hasSignInLinks: boolean;
}

/** The operations of the management gateway: the same for every org. */
export function managementDocument(
  { hasOperator, hasInbox, hasSignInLinks }: DocumentedFeatures,
  kinds: ConfigKinds,
): Iterable<string> {
  const missing: readonly Route[] = [
    ...(hasInbox ? [] : [inboxApi.readInbox]),
    ...(hasSignInLinks ? [] : [signInLinksApi.createSignInLink, signInLinksApi.signInByLink]),
  ];
  const all: readonly [string, Route][] = Object.entries(managementApi);
  const routes = Object.fromEntries(
    all.filter(([, route]) => !missing.includes(route) && (hasOperator || route.access !== 'operator')),
  );
  const { operations, schemas } = describedOperations(routes, recordedExamples('management'));
  return documentPieces({
    title: 'Freehold management API',
    version: '1',
    description:
      'For builders. Sign up or log in, and send the session’s token with each call. Every error is problem details (RFC 9457) with a stable `code`.',
    operations: [operations],
    schemas: [{ ...schemas, ...madeSchemas(kinds) }],
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: bearerDescription } },
    tokenProblems: ['token_missing', 'token_invalid', 'rate_limited'],
  });
}

const bearerDescription = 'The token of a session; for routes under `/platform` the operator key.';
