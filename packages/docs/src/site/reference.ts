/** The pages about routes: a page for each group of a gateway's routes, made from its OpenAPI document. */
import { callers } from '@freehold/contract/access';
import { appApi } from '@freehold/contract/app';
import { recordRoutes } from '@freehold/contract/app/records';
import { managementApi } from '@freehold/contract/management';
import { type ProblemCode, problemStatus } from '@freehold/contract/problem';
import { problemTitles } from '@freehold/contract/problem-titles';
import type { Route } from '@freehold/contract/route';
import { callExamples } from '../openapi/examples.ts';
import { type OpenapiDocument, type Operation, operationsOf } from '../openapi/openapi.ts';
import { htmlOf } from '../render/html.ts';
import { type Example, namedSchemaTree, operationTree } from '../render/operation.ts';
import { namesIn } from '../render/schema.ts';
import { type Child, h, sentence } from '../render/tree.ts';
import { type Page, relativePath } from './page.ts';

export interface Gateway {
  readonly name: 'management' | 'app';
  readonly title: string;
  readonly document: OpenapiDocument;
  /** The default address. */
  readonly url: string;
}

export const problemsPath = 'problems.html';
export const referenceIndexPath = 'api/index.html';

/** The entity that stands for every entity in the reference. */
const exampleEntity = 'order';

export function gatewayPages(gateway: Gateway): readonly Page[] {
  const { document } = gateway;
  const groups = Map.groupBy(operationsOf(document), ({ tag }) => tag);
  return document.tags.map(({ name, description }) =>
    groupPage(gateway, { name, description }, groups.get(name) ?? []),
  );
}

function pathOfTag({ name }: Gateway, tag: string): string {
  return `api/${name}/${slugOf(tag === exampleEntity ? 'records' : tag)}.html`;
}

function slugOf(words: string): string {
  return words.replaceAll(' ', '-');
}

function titleOfTag(tag: string): string {
  const words = tag === exampleEntity ? 'records' : tag;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

const aboutRecords =
  'Every entity has these routes. They are shown for an entity `order` with the fields `title`, `status` and `amount`; the definition of an entity says what its routes take and answer.';

function groupPage(
  gateway: Gateway,
  tag: { readonly name: string; readonly description: string },
  operations: readonly Operation[],
): Page {
  const { document } = gateway;
  const path = pathOfTag(gateway, tag.name);
  const title = titleOfTag(tag.name);
  const names = namesIn(document.components.schemas ?? {}, operations).filter((name) => !name.startsWith('Problem'));
  const link = (name: string) => (names.includes(name) ? `#schema-${name}` : undefined);
  const context = {
    document,
    link,
    problemLink: (code: string) => `${relativePath(path, problemsPath)}#${code}`,
  };
  const about = tag.name === exampleEntity ? aboutRecords : tag.description;
  const parts: readonly Child[] = [
    h('p', { class: 'kicker' }, gateway.title),
    h('h1', {}, title),
    h('p', {}, ...sentence(about)),
    ...operations.map((operation) =>
      operationTree(operation, {
        ...context,
        access: accessOf(operation),
        examples: examplesOf(gateway, operation),
      }),
    ),
    ...(names.length === 0
      ? []
      : [h('h2', { id: 'schemas' }, h('a', { class: 'anchor', href: '#schemas' }, 'Schemas'))]),
    ...names.map((name) => namedSchemaTree(document, name, link)),
  ];
  return {
    path,
    title,
    html: htmlOf(...parts),
    headings: [
      ...operations.map(({ operationId, summary }) => heading(operationId, summary)),
      ...(names.length === 0 ? [] : [heading('schemas', 'Schemas')]),
    ],
    sections: [
      { id: '', heading: '', text: about },
      ...operations.map(({ operationId, summary, method, path: route, description }) => ({
        id: operationId,
        heading: summary.replaceAll('`', ''),
        text: `${method} ${route} ${operationId} ${description}`,
      })),
    ],
  };
}

function heading(id: string, text: string) {
  return { depth: 2, id, text: text.replaceAll('`', '') } as const;
}

const described: Readonly<Record<string, Route>> = { ...appApi, ...managementApi };

/** The word for who may call, as the contract has it. */
function accessOf({ operationId, tag, method, path }: Operation): string | undefined {
  if (tag !== exampleEntity) return described[operationId]?.access;
  const found = Object.values(recordRoutes).find(
    (route) => route.method === method && route.path.split('/')[3] === path.split('/')[3],
  );
  return found && `${found.access}${exampleEntity}`;
}

function examplesOf({ document, url }: Gateway, operation: Operation): readonly Example[] {
  return callExamples({ document, operation, url });
}

/** Both gateways with their groups, and who may call what. */
export function referenceIndex(gateways: readonly (Gateway & { readonly pages: readonly Page[] })[]): Page {
  const path = referenceIndexPath;
  const parts: readonly Child[] = [
    h('h1', {}, 'All routes'),
    h(
      'p',
      {},
      ...sentence(
        'Every route of both gateways, with what it takes, what it answers and what it refuses. Both gateways also serve this as OpenAPI 3.1: `GET /openapi.json` of the management gateway, and `GET /app/{org}/openapi.json` of an app.',
      ),
    ),
    ...gateways.flatMap(({ name, title, url, pages, document }) => [
      h('h2', { id: name }, h('a', { class: 'anchor', href: `#${name}` }, title)),
      h('p', {}, 'It listens at ', h('code', {}, url), ' by default.'),
      h(
        'dl',
        { class: 'groups' },
        ...pages.flatMap((page, index) => [
          h('dt', {}, h('a', { href: relativePath(path, page.path) }, page.title)),
          h('dd', {}, ...sentence(document.tags[index]?.description ?? '')),
        ]),
      ),
    ]),
    h('h2', { id: 'access' }, h('a', { class: 'anchor', href: '#access' }, 'Who may call')),
    h('p', {}, 'Each route names who may call it. Any other word is an action that the caller’s policies must allow.'),
    h(
      'dl',
      { class: 'groups' },
      ...Object.entries(callers).flatMap(([word, who]) => [
        h('dt', {}, h('code', {}, word)),
        h('dd', {}, ...sentence(who)),
      ]),
    ),
  ];
  return {
    path,
    title: 'All routes',
    html: htmlOf(...parts),
    headings: [...gateways.map(({ name, title }) => heading(name, title)), heading('access', 'Who may call')],
    sections: [{ id: '', heading: '', text: 'Every route of both gateways. OpenAPI.' }],
  };
}

/** A page about every refusal. The page behind the `type` of a problem leads here. */
export function problemsPage(): Page {
  const codes = Object.keys(problemStatus) as ProblemCode[];
  const sorted = codes.sort((one, other) => problemStatus[one] - problemStatus[other] || one.localeCompare(other));
  const parts: readonly Child[] = [
    h('h1', {}, 'Problems'),
    h(
      'p',
      {},
      ...sentence(
        'Every refusal is problem details (RFC 9457) with one of these codes in `code`. A code has one status. `detail` says what was wrong in this case, `errors` names each mistake in a body by a JSON pointer, and `request_id` finds the request in the logs.',
      ),
    ),
    ...sorted.map((code) =>
      h(
        'section',
        { class: 'problem', id: code },
        h(
          'h2',
          {},
          h('a', { class: 'anchor', href: `#${code}` }, h('code', {}, code)),
          ' ',
          h('span', { class: 'status' }, String(problemStatus[code])),
        ),
        h('p', {}, ...sentence(problemTitles[code])),
      ),
    ),
  ];
  return {
    path: problemsPath,
    title: 'Problems',
    html: htmlOf(...parts),
    headings: sorted.map((code) => ({ depth: 2, id: code, text: code })),
    sections: [
      { id: '', heading: '', text: 'Every refusal with its code and status.' },
      ...sorted.map((code) => ({ id: code, heading: code, text: `${problemStatus[code]} ${problemTitles[code]}` })),
    ],
  };
}
