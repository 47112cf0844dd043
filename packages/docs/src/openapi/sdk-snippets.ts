/** A call as a program of `@freehold/client` makes it. */
import { bodyOf, isJson, type Operation } from './openapi.ts';
import { type Filled, keyOf } from './request.ts';

export interface SdkCall {
  readonly operation: Operation;
  readonly filled: Filled;
  /** The address of the gateway that serves the route. */
  readonly gateway: string;
  /** The client id of the org's environment, where it is known. */
  readonly clientId?: string | undefined;
}

/**
 * The program for a route of an app or of the management API; undefined where the client has no call for it: signing in is
 * `signIn`, and what is no JSON is sent by `fetch`.
 */
export function sdkOf(call: SdkCall): string | undefined {
  const { operation } = call;
  const body = bodyOf(operation);
  if (body !== undefined && !isJson(body.type)) return undefined;
  const [, org, rest] = /^\/app\/([^/]+)(\/.*)$/.exec(operation.path) ?? [];
  if (org !== undefined && rest !== undefined) return operation.takesToken ? appProgram(call, org, rest) : undefined;
  return operation.takesToken ? managementProgram(call) : undefined;
}

function appProgram(call: SdkCall, org: string, path: string): string {
  const { gateway, clientId = 'CLIENT_ID', operation, filled } = call;
  const orgCode = org.startsWith('{') ? filled.values[`path ${org.slice(1, -1)}`] || 'acme' : org;
  const options = `{ url: ${literal(gateway)}, org: ${literal(orgCode)}, clientId: ${literal(clientId)} }`;
  return [
    "import { createApp } from '@freehold/client';",
    '',
    `const app = createApp(${options});`,
    "await app.signIn({ email: 'you@example.com', password: '…' });",
    ...resultLines(operation, recordCall(call, path) ?? requestCall(call, path)),
  ].join('\n');
}

function resultLines({ responses }: Operation, expression: string): readonly string[] {
  const isEmpty = Object.keys(responses).some((status) => status === '204') && !('200' in responses);
  return isEmpty ? [`await ${expression};`] : [`const result = await ${expression};`, 'console.log(result);'];
}

/** The call of a record's route. A parameter that it has no name for makes it undefined. */
function recordCall({ operation, filled }: SdkCall, path: string): string | undefined {
  const [, action = '', entity = ''] =
    /^\/(list|count|item|create|update|delete)\/([^/{]+)(?:\/\{id\})?$/.exec(path) ?? [];
  const method = methods[action];
  if (method === undefined) return undefined;
  const options = optionsOf(action, operation, filled);
  if (options === undefined) return undefined;
  const id = path.endsWith('/{id}') ? [literal(filled.values['path id'] || 'ID')] : [];
  const data = bodyOf(operation) === undefined ? [] : [jsonText(filled.text)];
  const last = Object.keys(options).length === 0 ? [] : [objectText(options)];
  return `app.entity(${literal(entity)}).${method}(${[...id, ...data, ...last].join(', ')})`;
}

const methods: Readonly<Record<string, string>> = {
  list: 'list',
  count: 'count',
  item: 'get',
  create: 'create',
  update: 'update',
  delete: 'delete',
};

type Options = Record<string, unknown>;

/** The parameters by the names that the client has for them; undefined if there is one that it has no name for. */
function optionsOf(action: string, operation: Operation, filled: Filled): Options | undefined {
  const given = givenOf(operation, filled);
  const options: Options = {};
  const where: Options = {};
  for (const [name, value] of given) {
    const option = optionOf(name, value, given);
    if (option !== undefined) Object.assign(options, option);
    else if (!isCondition(action, name, value)) return undefined;
    else if (!isOperatorOf(name, given)) where[name] = conditionOf(value, given.get(`${name}_op`));
  }
  return Object.keys(where).length === 0 ? options : { where, ...options };
}

type Given = ReadonlyMap<string, string>;

function givenOf({ parameters }: Operation, { values }: Filled): Given {
  const sent = parameters.filter((one) => one.in !== 'path' && (values[keyOf(one)] ?? '') !== '');
  return new Map(
    sent.map((one) => [one.in === 'query' ? one.name.replace(/^\$/, '') : one.name, values[keyOf(one)] ?? '']),
  );
}

/** A parameter that is no condition on a field. */
function optionOf(name: string, value: string, given: Given): Options | undefined {
  if (name === 'sortby') return { sort: sortOf(value, given.get('sortdir') ?? '') };
  if (name === 'sortdir') return {};
  if (name === 'pagesize') return { pageSize: Number(value) };
  if (name === 'total' || name === 'all') return { [name]: value === 'true' };
  if (name === 'expand' || name === 'fields') return { [name]: value.split(',') };
  const text = texts[name];
  return text === undefined ? undefined : { [text]: value };
}

/** Several values in one text are left to the query. */
function isCondition(action: string, name: string, value: string): boolean {
  return (action === 'list' || action === 'count') && !value.includes(',') && !/^[A-Z]/.test(name);
}

function isOperatorOf(name: string, given: Given): boolean {
  return name.endsWith('_op') && given.has(name.slice(0, -'_op'.length));
}

const texts: Readonly<Record<string, string>> = {
  filter: 'filter',
  q: 'q',
  owner: 'owner',
  view: 'view',
  nexttoken: 'cursor',
  'If-Match': 'ifMatch',
  'Idempotency-Key': 'idempotencyKey',
};

function sortOf(fields: string, directions: string): string | readonly string[] {
  const turned = directions.split(',');
  const names = fields
    .split(',')
    .map((field, index) => ((turned[index] ?? turned[0]) === 'desc' ? `-${field}` : field));
  return names.length === 1 ? (names[0] ?? '') : names;
}

/** A condition with the value as a number or a boolean where its text is one. */
function conditionOf(text: string, operator: string | undefined): unknown {
  const value = /^(true|false|-?(0|[1-9]\d{0,14})(\.\d+)?)$/.test(text) ? (JSON.parse(text) as unknown) : text;
  return operator === undefined || operator === 'eq' ? value : { [operator]: value };
}

function requestCall({ operation, filled }: SdkCall, path: string): string {
  const options = partsOf(operation, filled);
  const target = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = filled.values[`path ${name}`] ?? '';
    return value === '' ? whole : encodeURIComponent(value);
  });
  const last = Object.keys(options).length === 0 ? [] : [objectText(options)];
  return `app.request(${[literal(operation.method), literal(target), ...last].join(', ')})`;
}

function managementProgram({ gateway, operation, filled }: SdkCall): string {
  const params = Object.fromEntries(
    operation.parameters
      .filter(({ in: place }) => place === 'path')
      .map((parameter) => [parameter.name, filled.values[keyOf(parameter)] || parameter.name.toUpperCase()]),
  );
  const parts = { ...(Object.keys(params).length === 0 ? {} : { params }), ...partsOf(operation, filled) };
  const last = Object.keys(parts).length === 0 ? [] : [objectText(parts)];
  return [
    "import { createManagement } from '@freehold/client/management';",
    '',
    "const TOKEN = '…';",
    `const management = createManagement({ url: ${literal(gateway)}, token: TOKEN });`,
    ...resultLines(operation, `management.call(${[literal(operation.operationId), ...last].join(', ')})`),
  ].join('\n');
}

function partsOf(operation: Operation, { values, text }: Filled): Options {
  const of = (place: 'query' | 'header') =>
    Object.fromEntries(
      operation.parameters
        .filter((parameter) => parameter.in === place && (values[keyOf(parameter)] ?? '') !== '')
        .map((parameter) => [parameter.name, values[keyOf(parameter)] ?? '']),
    );
  const [query, headers] = [of('query'), of('header')];
  const hasBody = bodyOf(operation) !== undefined && text.trim() !== '';
  return {
    ...(Object.keys(query).length === 0 ? {} : { query }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(hasBody ? { body: new Raw(jsonText(text)) } : {}),
  };
}

/** A text that is code already. */
class Raw {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** JSON is an expression; what is none is shown as a text, by which the platform says what is wrong with it. */
function jsonText(text: string): string {
  try {
    return linesText(JSON.parse(text));
  } catch {
    return literal(text);
  }
}

/** The time that a value on one line is at most: behind the beginning of a call, and on a line of its own. */
const [columnsOfCall, columnsOfLine] = [40, 80];

/** A value over several lines where it is too long for one. */
function linesText(value: unknown, columns = columnsOfCall, indent = ''): string {
  const line = valueText(value);
  if (indent.length + line.length <= columns || typeof value !== 'object' || value === null) return line;
  const inner = `${indent}  `;
  const of = (member: unknown) => linesText(member, columnsOfLine, inner);
  if (Array.isArray(value)) return `[\n${value.map((member) => `${inner}${of(member)},\n`).join('')}${indent}]`;
  const members = Object.entries(value).map(([name, member]) => `${inner}${nameText(name)}: ${of(member)},\n`);
  return `{\n${members.join('')}${indent}}`;
}

function objectText(options: Options): string {
  return valueText(options);
}

function valueText(value: unknown): string {
  if (value instanceof Raw) return value.text;
  if (typeof value === 'string') return literal(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${nameText(name)}: ${valueText(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function nameText(name: string): string {
  // `__proto__` in an object literal would set its prototype.
  if (name === '__proto__') return `[${literal(name)}]`;
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

function literal(text: string): string {
  const inside = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inside.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`;
}
