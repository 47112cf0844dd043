import type { CompiledTemplate, When } from '../../../expressions/port.ts';
import type { MaybePromise } from '../../../lib/maybe-promise.ts';
import { aggregateQuestion } from '../../kinds/aggregate-step.ts';
import type { LogicStep } from '../../kinds/logicblock-steps.ts';
import { type FieldCondition, literalAddress } from '../../kinds/shared-content.ts';
import { blockFailure } from '../block-failure.ts';
import type { BlockRun, CompiledSteps, OnError, StepRun } from '../block-run.ts';

export interface StepCompiler {
  /** @param encode what becomes of the text of each expression. @throws Problem `block_failed`. */
  template(value: unknown, encode?: (text: string) => string): CompiledTemplate;
  /** A condition as CEL has it. @throws Problem `block_failed`. */
  when(source: string): When;
  /** A list of steps within the step. */
  within(steps: readonly LogicStep[]): Promise<CompiledSteps>;
  /** The place of a later step in the list of this step; the length of the list where none is named. */
  placeOf(id: string | undefined): number;
  /** The steps done where the step is refused; undefined where the run ends. Asked after the steps within it. */
  onError(): Promise<OnError | undefined>;
}

type StepOf<T extends LogicStep['type']> = Extract<LogicStep, { readonly type: T }>;

export type CompileStep<T extends LogicStep['type']> = (
  step: StepOf<T>,
  compiler: StepCompiler,
) => MaybePromise<StepRun>;

/** A value where a text is question for: scalars as JSON has them, and nothing of others, which name no record. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

export const get: CompileStep<'get'> = ({ id, entity, record }, { template }) => {
  const recordId = template(record);
  return async (run, path) => {
    const step = { id, type: 'get', entity, record: textOf(run.evaluate(recordId)) } as const;
    return { value: await run.entity(path, step) };
  };
};

export const list: CompileStep<'list'> = (step, { template }) => {
  const { id, entity, sortby, sortdir, all: isWhole = false, pagesize = isWhole ? 200 : undefined, fields } = step;
  const conditionsOf = filterReader(step.filters, template);
  return async (run, path) => {
    const parameters = conditionsOf(run);
    const put = (name: string, text: string): void => putOnce(parameters, name, text);
    if (sortby !== undefined) put('sortby', sortby);
    if (sortdir !== undefined) put('sortdir', sortdir);
    if (pagesize !== undefined) put('pagesize', String(pagesize));
    // With its mark, since an entity may have a field of this name.
    if (fields !== undefined) put('$fields', fields.join(','));
    return { value: await run.entity(path, { id, type: 'list', entity, parameters, isWhole }) };
  };
};

export const aggregate: CompileStep<'aggregate'> = (step, { template }) => {
  const { id, entity, time_zone, all: isWhole = false } = step;
  const conditionsOf = filterReader(step.filters, template);
  const question = aggregateQuestion(step);
  const values = template(question.values);
  const zone = time_zone === undefined ? undefined : template(time_zone);
  return async (run, path) => {
    const parameters = conditionsOf(run);
    for (const [name, text] of question.parameters) putOnce(parameters, name, text);
    if (zone !== undefined) putOnce(parameters, '$time_zone', textOf(run.evaluate(zone)));
    const given = run.evaluate(values) as Readonly<Record<string, unknown>>;
    return { value: await run.entity(path, { id, type: 'aggregate', entity, parameters, values: given, isWhole }) };
  };
};

/** Reads the conditions of a step into parameters of a list. */
function filterReader(
  filters: readonly FieldCondition[] = [],
  template: StepCompiler['template'],
): (run: BlockRun) => Map<string, string> {
  const conditions = filters.map(({ field, op, value }) => ({ field, op, value: template(value) }));
  return (run) => {
    const parameters = new Map<string, string>();
    for (const { field, op, value } of conditions) {
      putOnce(parameters, field, parameterText(op, run.evaluate(value)));
      if (op !== 'eq') putOnce(parameters, `${field}_op`, op);
    }
    return parameters;
  };
}

function putOnce(parameters: Map<string, string>, name: string, text: string): void {
  if (parameters.has(name)) throw blockFailure(`a list takes one condition on \`${name}\``);
  parameters.set(name, text);
}

/** Values of a list are sent with commas between them, so none may hold one. */
function parameterText(op: string, value: unknown): string {
  if (op !== 'in' && op !== 'between') return textOf(value);
  const texts = (Array.isArray(value) ? value : [value]).map(textOf);
  if (texts.some((text) => text.includes(','))) throw blockFailure(`\`${op}\` takes no value with a comma in it`);
  return texts.join(',');
}

export const create: CompileStep<'create'> = ({ id, entity, values }, { template }) => {
  const made = template(values);
  return async (run, path) => ({
    value: await run.entity(path, { id, type: 'create', entity, values: run.evaluate(made) }),
  });
};

export const update: CompileStep<'update'> = (step, { template }) => {
  const { id, entity } = step;
  const record = template(step.record);
  const values = template(step.values);
  const version = step.if_version === undefined ? undefined : template(step.if_version);
  return async (run, path) => {
    const ifVersion = version === undefined ? undefined : run.evaluate(version);
    if (ifVersion !== undefined && !Number.isSafeInteger(ifVersion)) throw blockFailure('`if_version` is no version');
    const command = {
      id,
      type: 'update',
      entity,
      record: textOf(run.evaluate(record)),
      values: run.evaluate(values),
    } as const;
    const checked = ifVersion === undefined ? command : { ...command, if_version: Number(ifVersion) };
    return { value: await run.entity(path, checked) };
  };
};

export const remove: CompileStep<'delete'> = ({ id, entity, record }, { template }) => {
  const recordId = template(record);
  return async (run, path) => {
    const step = { id, type: 'delete', entity, record: textOf(run.evaluate(recordId)) } as const;
    return { value: await run.entity(path, step) };
  };
};

export const http: CompileStep<'http'> = (step, { template }) => {
  const { id, method, secret } = step;
  const literal = literalAddress(step.url);
  if (literal === undefined) throw blockFailure('the host of an address is no template');
  const url = template(step.url, encoded);
  const headers = Object.entries(step.headers ?? {}).map(([name, value]) => [name, template(value)] as const);
  const body = step.body === undefined ? undefined : template(step.body);
  return async (run, path) => {
    const ask = {
      id,
      method,
      url: stepAddress(textOf(run.evaluate(url)), literal).href,
      headers: Object.fromEntries(headers.map(([name, value]) => [name, textOf(run.evaluate(value))])),
      ...(body === undefined ? {} : { body: run.evaluate(body) }),
      ...(secret === undefined ? {} : { secret }),
    };
    return { value: await run.http(path, ask) };
  };
};

export const mail: CompileStep<'mail'> = (step, { template }) => {
  const { id } = step;
  const to = template(step.to);
  const subject = template(step.subject);
  const text = template(step.text);
  return async (run, path) => {
    const ask = {
      id,
      to: textOf(run.evaluate(to)).trim(),
      subject: textOf(run.evaluate(subject)),
      text: textOf(run.evaluate(text)),
    };
    return { value: await run.mail(path, ask) };
  };
};

/** The source is no template: what a script reads is handed to it. */
export const script: CompileStep<'script'> =
  ({ id, source }) =>
  async (run, path) => ({ value: await run.script(path, { id, source }) });

export const wait: CompileStep<'wait'> =
  ({ id, seconds }) =>
  async (run, path) => {
    await run.effects.wait(path, id, seconds * 1000);
    return { value: null };
  };

/** A value within an address, so that it stays one value. */
export function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/**
 * The address that a step calls.
 * @param literal the same with a text for each value: scheme, host and the parts of the path are as there.
 * @throws Problem `block_failed` where a value would lead elsewhere.
 */
export function stepAddress(text: string, literal: URL): URL {
  const url = URL.parse(text);
  if (url === null || url.origin !== literal.origin || url.username + url.password + url.hash !== '')
    throw blockFailure('a value makes another address of it');
  const parts = partsOf(url);
  const expected = partsOf(literal);
  const isSame = parts.length === expected.length && parts.every((part, at) => (part === '') === (expected[at] === ''));
  if (!isSame || parts.some(leadsUp)) throw blockFailure('a value makes another path of the address');
  return url;
}

function partsOf({ pathname }: URL): readonly string[] {
  return pathname.split('/');
}

/** Also for receivers that take an encoded slash for a slash. */
function leadsUp(part: string): boolean {
  const read = part.replace(/%2e/gi, '.').split(/\/|\\|%2f|%5c/i);
  return read.some((name) => name === '.' || name === '..');
}
