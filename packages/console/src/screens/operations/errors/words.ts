import type { NodeError } from './queries.ts';

/** The failure, in a sentence with names in backticks. */
export function errorSentence(error: NodeError): string {
  const { kind, job, method, route, status } = error;
  if (kind === 'background')
    return job === null ? 'work in the background failed' : `the background work \`${job}\` failed`;
  const call = method === null ? 'a request' : `\`${method}${route === null ? '' : ` ${route}`}\``;
  const where = route === null ? `${call}, which reached no route,` : call;
  return status === null ? `${where} ended before its reply` : `${where} was answered ${status}`;
}

/** Why it failed, as far as it is known here. */
export function causeSentence({ fault, problem }: NodeError): string {
  if (fault === null) {
    return problem === null
      ? 'The log of the node says more.'
      : `The platform refused it: ${problem.replaceAll('_', ' ')}.`;
  }
  const { name, code, message } = fault;
  const named = code === null ? name : `${name} ${code}`;
  return message === null ? `${named}. The log of the node has its sentence.` : `${named}: ${message}`;
}
