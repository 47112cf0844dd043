import { encoded, stepAddress } from '../../http/step-address.ts';
import { literalAddress } from '../../kinds/outside-steps.ts';
import { blockFailure } from '../block-failure.ts';
import type { StepType } from './step-compiler.ts';
import { textOf } from './text-of.ts';

export const http: StepType<'http'> = (step, { template }) => {
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

export const mail: StepType<'mail'> = (step, { template }) => {
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
