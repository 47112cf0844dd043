import { type ExampleReply, exampleReplyOf, textOf } from '../openapi/example.ts';
import {
  bodyOf,
  type OpenapiDocument,
  type Operation,
  type Parameter,
  repliesOf,
  type Schema,
} from '../openapi/openapi.ts';
import { highlighted } from './highlight.ts';
import { type SchemaLink, schemaTree, typeTree } from './schema.ts';
import { type Child, h, sentence } from './tree.ts';

/** A call of a route, in one language. */
export interface Example {
  readonly title: string;
  readonly language: 'sh' | 'ts';
  readonly text: string;
}

/** How the parts of a page refer to one another. */
export interface OperationContext {
  readonly document: OpenapiDocument;
  readonly link: SchemaLink;
  /** Where a problem code is explained; left out, a code is no link. */
  readonly problemLink?: (code: string) => string;
  /** The callers that may call, in a word; left out, the description alone says so. */
  readonly access?: string | undefined;
  readonly examples: readonly Example[];
}

/** All that there is to know of a route, under an anchor that is its name. */
export function operationTree(operation: Operation, context: OperationContext): Child {
  const { operationId, method, path, summary, description, parameters } = operation;
  const { access, document, examples } = context;
  return h(
    'section',
    { class: 'route', id: operationId, 'aria-labelledby': `${operationId}-title` },
    h('h2', { id: `${operationId}-title` }, h('a', { class: 'anchor', href: `#${operationId}` }, ...plain(summary))),
    h(
      'p',
      { class: 'call' },
      h('span', { class: `method ${method.toLowerCase()}` }, method),
      ' ',
      h('code', {}, path),
      ...(access === undefined ? [] : [' ', h('span', { class: 'access', title: 'who may call it' }, access)]),
    ),
    h('p', {}, ...sentence(description)),
    ...parametersTree(parameters, context.link),
    ...bodyTree(operation, context.link),
    ...repliesTree(operation, context),
    h('h3', {}, 'Example'),
    ...examples.map(exampleTree),
    ...exampleReplyTree(exampleReplyOf(document, operation)),
  );
}

/** A heading is words alone. */
function plain(text: string): readonly Child[] {
  return [text.replaceAll('`', '')];
}

function parametersTree(parameters: readonly Parameter[], link: SchemaLink): readonly Child[] {
  if (parameters.length === 0) return [];
  const rows = parameters.map((parameter) =>
    h(
      'li',
      {},
      h('code', { class: 'member' }, parameter.name),
      ' ',
      h(
        'span',
        { class: 'type' },
        `${parameter.in}, `,
        ...typeTree(choicesOf(parameter), link),
        ...boundsIn(parameter),
      ),
      ...(parameter.required === true ? [' ', h('span', { class: 'needed' }, 'required')] : []),
      ...(parameter.deprecated === true ? [' ', h('span', { class: 'flag' }, 'deprecated')] : []),
      h('div', { class: 'about' }, ...sentence(parameter.description)),
    ),
  );
  const list = h('ul', { class: 'members' }, ...rows);
  const title = h('h3', {}, 'Parameters');
  if (rows.length <= parametersShown) return [title, list];
  return [title, h('details', {}, h('summary', {}, `${rows.length} parameters`), list)];
}

const parametersShown = 12;

/** All views that a call may name, not the described one alone. */
function choicesOf({ schema, 'x-views': views }: Parameter): Schema {
  return views === undefined ? schema : { ...schema, enum: views };
}

function boundsIn({ schema }: Parameter): readonly Child[] {
  return schema.default === undefined ? [] : [`, default ${JSON.stringify(schema.default)}`];
}

function bodyTree(operation: Operation, link: SchemaLink): readonly Child[] {
  const body = bodyOf(operation);
  if (body === undefined) return [];
  const types = Object.keys(operation.requestBody?.content ?? {}).join(' or ');
  const left = operation.requestBody?.required === true ? '' : ', may be left out';
  return [
    h('h3', {}, 'Body', ' ', h('span', { class: 'media' }, `${types}${left}`)),
    ...(body.schema.description === undefined ? [] : [h('p', {}, ...sentence(body.schema.description))]),
    ...schemaTree(body.schema, link),
  ];
}

function repliesTree(operation: Operation, { document, link, problemLink }: OperationContext): readonly Child[] {
  const replies = repliesOf(document, operation);
  const successes = replies.filter(({ status }) => status < 400);
  const refusals = replies.filter(({ status }) => status >= 400);
  return [
    h('h3', {}, 'Replies'),
    ...successes.flatMap(({ status, description, headers, content }) => [
      h('p', { class: 'reply' }, h('span', { class: 'status' }, String(status)), ' ', ...sentence(description)),
      ...(headers.length === 0
        ? []
        : [h('p', { class: 'media' }, 'Headers: ', ...listed(headers.map((name) => h('code', {}, name))))]),
      ...Object.entries(content).flatMap(([type, { schema }]) => [
        ...(type === 'application/json' ? [] : [h('p', { class: 'media' }, type)]),
        ...(schema === undefined ? [] : schemaTree(schema, link)),
      ]),
    ]),
    h(
      'details',
      { class: 'problems' },
      h('summary', {}, 'Problems'),
      h(
        'ul',
        {},
        ...refusals.map(({ status, codes }) =>
          h(
            'li',
            {},
            h('span', { class: 'status' }, String(status)),
            ' ',
            ...listed(codes.map((code) => codeTree(code, problemLink))),
          ),
        ),
      ),
    ),
  ];
}

function codeTree(code: string, problemLink: OperationContext['problemLink']): Child {
  const shown = h('code', {}, code);
  return problemLink === undefined ? shown : h('a', { href: problemLink(code) }, shown);
}

function listed(children: readonly Child[]): readonly Child[] {
  return children.flatMap((child, index) => (index === 0 ? [child] : [', ', child]));
}

function exampleTree({ title, language, text }: Example): Child {
  return h('div', { class: 'code' }, codeTreeOf(text, language, { 'data-example': title }));
}

function exampleReplyTree(reply: ExampleReply | undefined): readonly Child[] {
  if (reply === undefined) return [];
  const text = textOf(reply.value);
  const lines = text.split('\n').length;
  const code = h('div', { class: 'code reply' }, codeTreeOf(text, 'json', { 'data-example': 'reply' }));
  const status = h('span', { class: 'status' }, String(reply.status));
  if (lines <= linesShown) return [h('p', { class: 'reply' }, status, ' Reply'), code];
  return [h('details', {}, h('summary', {}, status, ` Reply, ${lines} lines`), code)];
}

const linesShown = 24;

/** A block of code, which a keyboard can scroll. */
export function codeTreeOf(text: string, language: string, attributes: Readonly<Record<string, string>> = {}): Child {
  const code = h('code', language === '' ? {} : { class: `language-${language}` }, ...highlighted(text, language));
  return h('pre', { tabindex: '0', ...attributes }, code);
}

/** A named schema, under an anchor of its own. */
export function namedSchemaTree(document: OpenapiDocument, name: string, link: SchemaLink): Child {
  const schema = document.components.schemas?.[name] ?? {};
  const about = (schema as { readonly description?: string }).description ?? '';
  return h(
    'section',
    { class: 'schema', id: `schema-${name}` },
    h('h3', {}, h('a', { class: 'anchor', href: `#schema-${name}` }, name)),
    ...(about === '' ? [] : [h('p', {}, ...sentence(about))]),
    ...schemaTree(schema, link),
  );
}
