/** What the commands have in common that ask a running platform in the operator's name, over its management gateway. */
import { operatorSettings, Refusal } from './command-line.ts';

export interface OperatorCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
}

/** Asks, and gives what `told` makes of the answer to standard output. @returns the code to end with. */
export async function askOperator(
  { method, path, body }: OperatorCall,
  url: string | undefined,
  told: (text: string) => string,
): Promise<number> {
  const { operatorKey, managementUrl } = operatorSettings();
  const base = url ?? managementUrl;
  const headers = { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(base.replace(/\/+$/, '') + path, { method, headers, ...sent }).catch(tellCause);
  const text = await response.text();
  if (response.ok) process.stdout.write(told(text));
  else process.stderr.write(`${refusal(response.status, text)}\n`);
  return response.ok ? 0 : 1;
}

/** Whoever cannot be reached is told of by the cause alone. */
function tellCause(error: unknown): never {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  throw new Refusal(`${error instanceof Error ? error.message : String(error)}${cause}`);
}

/** Whatever answers in place of the platform need not speak its language. */
function refusal(status: number, text: string): string {
  const hint = status === 404 ? ' (a platform without FREEHOLD_OPERATOR_KEY has no such routes)' : '';
  try {
    const { detail } = JSON.parse(text) as { readonly detail?: unknown };
    if (typeof detail === 'string') return `the platform answers ${status}: ${detail}${hint}`;
  } catch {
    // Told by its status alone.
  }
  return `the platform answers ${status}${hint}`;
}
