/** What the commands have in common that ask a running platform in the operator's name, over its management gateway. */
import { operatorSettings, Refusal } from './command-line.ts';

export interface OperatorCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
}

/** Calls the platform, and prints the answer as `formatReply` formats it. @returns the code to end with. */
export async function askOperator(
  { method, path, body }: OperatorCall,
  url: string | undefined,
  formatReply: (text: string) => string,
): Promise<number> {
  const { operatorKey, managementUrl } = operatorSettings();
  const base = url ?? managementUrl;
  const headers = { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(base.replace(/\/+$/, '') + path, { method, headers, ...sent }).catch(
    refuseUnreached(base),
  );
  const text = await response.text();
  if (response.ok) process.stdout.write(formatReply(text));
  else process.stderr.write(`${refusal(response.status, text)}\n`);
  return response.ok ? 0 : 1;
}

function refuseUnreached(url: string): (error: unknown) => never {
  return (error) => {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const reason = cause instanceof Error && cause.message !== '' ? cause.message : String(cause);
    throw new Refusal(
      `no platform can be reached at ${url} (${reason}): start it, or name its management gateway by --url, ` +
        'FREEHOLD_MANAGEMENT_URL or FREEHOLD_MANAGEMENT_PORT',
    );
  };
}

/** Another program may answer in place of the platform. */
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
