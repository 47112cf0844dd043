/** Decision cases as files: who asks for what, and what the policies must answer. */
import { LineCounter, parseDocument } from 'yaml';
import { isObject, type JsonObject } from '../json-object.ts';

/** What a case may take from the `defaults` of its file. */
export interface Caller {
  readonly env: 'test' | 'prod';
  readonly workspace: string | undefined;
  /** The email or the id of a member. */
  readonly user: string | undefined;
  /** Names of policies of the workspace. */
  readonly policies: readonly string[] | undefined;
  /** A draft, or the path of a file with one, relative to the file of the case. */
  readonly statements: readonly unknown[] | string | undefined;
}

export interface PolicyCase extends Caller {
  /** `policies/orders.cases.yaml:12` */
  readonly place: string;
  readonly name: string;
  readonly call: JsonObject;
  readonly record: JsonObject | undefined;
  readonly context: JsonObject | undefined;
  readonly expect: 'allow' | 'deny';
  readonly reason: 'explicit_deny' | 'implicit_deny' | undefined;
  readonly sid: string | undefined;
}

export interface CasesOfFile {
  readonly cases: readonly PolicyCase[];
  /** With their places, in the order of the file. */
  readonly mistakes: readonly string[];
}

const callerMembers = ['env', 'workspace', 'user', 'policies', 'statements'];
const callMembers = ['method', 'path', 'action', 'resource'];
const caseMembers = [...callerMembers, ...callMembers, 'name', 'record', 'context', 'expect', 'reason', 'sid'];

/** Reads one file. A file with mistakes gives them all, and the cases without any. */
export function readCases(text: string, file: string): CasesOfFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [broken] = document.errors;
  if (broken !== undefined) {
    const { line } = lines.linePos(broken.pos[0]);
    return { cases: [], mistakes: [`${file}:${line}: not YAML: ${broken.message}`] };
  }
  const content = contentOf(() => document.toJS({ maxAliasCount: 100 }));
  if (!isObject(content) || !Array.isArray(content.cases))
    return { cases: [], mistakes: [`${file}: must have a list \`cases\``] };
  const mistakes = unknownMembers(content, ['defaults', 'cases']).map((mistake) => `${file}: ${mistake}`);
  const defaults = isObject(content.defaults) ? content.defaults : {};
  if (content.defaults !== undefined && !isObject(content.defaults))
    mistakes.push(`${file}: \`defaults\` must be a mapping`);
  mistakes.push(...unknownMembers(defaults, callerMembers).map((mistake) => `${file}: in \`defaults\`: ${mistake}`));
  const cases: PolicyCase[] = [];
  for (const [index, given] of content.cases.entries()) {
    const node: unknown = document.getIn(['cases', index], true);
    const place = `${file}:${lines.linePos(startOf(node)).line}`;
    const found = mistakesOf(given, defaults);
    if (found.length === 0) cases.push(caseOf(given as JsonObject, defaults, place));
    mistakes.push(...found.map((mistake) => `${place}: ${mistake}`));
  }
  return { cases, mistakes };
}

/** Aliases that multiply without end have no content. */
function contentOf(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function startOf(node: unknown): number {
  return isObject(node) && Array.isArray(node.range) ? Number(node.range[0]) : 0;
}

function unknownMembers(object: JsonObject, known: readonly string[]): string[] {
  return Object.keys(object)
    .filter((name) => !known.includes(name))
    .map((name) => `\`${name}\` is not known: use ${known.join(', ')}`);
}

/** A case names its caller in one way; what it says replaces what the defaults say. */
function callerOf(given: JsonObject, defaults: JsonObject): JsonObject {
  const namesOne = ['user', 'policies', 'statements'].some((name) => given[name] !== undefined);
  const { env, workspace } = defaults;
  return { ...(namesOne ? { env, workspace } : defaults), ...given };
}

function mistakesOf(given: unknown, defaults: JsonObject): readonly string[] {
  if (!isObject(given)) return ['a case must be a mapping with `name`, a caller, a call and `expect`'];
  const merged = callerOf(given, defaults);
  return [
    ...unknownMembers(given, caseMembers),
    ...mistakesOfCaller(merged),
    ...mistakesOfCall(merged),
    ...mistakesOfOutcome(merged),
  ];
}

function mistakesOfCaller({ env, workspace, user, policies, statements }: JsonObject): string[] {
  const mistakes: string[] = [];
  if (env !== undefined && env !== 'test' && env !== 'prod') mistakes.push('`env` must be `test` or `prod`');
  if (workspace !== undefined && typeof workspace !== 'string') mistakes.push('`workspace` must be a code');
  if (user !== undefined && typeof user !== 'string') mistakes.push('`user` must be an email or an id');
  if (policies !== undefined && !isTexts(policies)) mistakes.push('`policies` must be a list of names');
  if (statements !== undefined && typeof statements !== 'string' && !Array.isArray(statements))
    mistakes.push('`statements` must be a list, or the path of a file with one');
  const named = user !== undefined;
  const drafted = policies !== undefined || statements !== undefined;
  if (named === drafted)
    mistakes.push(
      named
        ? '`user` cannot be combined with `policies` or `statements`'
        : 'name the caller: `user`, `policies` or `statements`',
    );
  return mistakes;
}

function mistakesOfCall({ method, path, action, resource, record, context }: JsonObject): string[] {
  const mistakes: string[] = [];
  const isText = (value: unknown) => typeof value === 'string' && value !== '';
  const byRoute = isText(method) && isText(path) && action === undefined && resource === undefined;
  const byAction = isText(action) && isText(resource) && method === undefined && path === undefined;
  if (!byRoute && !byAction) mistakes.push('name the call: `method` and `path`, or `action` and `resource`');
  if (record !== undefined && !isObject(record)) mistakes.push('`record` must be a mapping');
  if (context !== undefined && !isObject(context)) mistakes.push('`context` must be a mapping');
  return mistakes;
}

function mistakesOfOutcome({ name, expect, reason, sid }: JsonObject): string[] {
  const mistakes: string[] = [];
  if (typeof name !== 'string' || name === '') mistakes.push('`name` is missing');
  if (expect !== 'allow' && expect !== 'deny') mistakes.push('`expect` must be `allow` or `deny`');
  if (reason !== undefined && reason !== 'explicit_deny' && reason !== 'implicit_deny')
    mistakes.push('`reason` must be `explicit_deny` or `implicit_deny`');
  if (reason !== undefined && expect === 'allow') mistakes.push('`reason` is for `expect: deny` only');
  if (sid !== undefined && typeof sid !== 'string') mistakes.push('`sid` must be a text');
  if (sid !== undefined && reason === 'implicit_deny')
    mistakes.push('`sid` names the statement that decides, and an implicit deny has none');
  return mistakes;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');
}

function caseOf(given: JsonObject, defaults: JsonObject, place: string): PolicyCase {
  const merged = callerOf(given, defaults) as Partial<PolicyCase> & JsonObject;
  return {
    place,
    name: String(merged.name),
    env: merged.env ?? 'test',
    workspace: merged.workspace,
    user: merged.user,
    policies: merged.policies,
    statements: merged.statements,
    call: Object.fromEntries(callMembers.filter((name) => name in given).map((name) => [name, given[name]])),
    record: merged.record,
    context: merged.context,
    expect: merged.expect === 'allow' ? 'allow' : 'deny',
    reason: merged.reason,
    sid: merged.sid,
  };
}
