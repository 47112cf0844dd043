import { ApiProblem } from './problem.ts';
import { takeStarted } from './started-calls.ts';

export interface Answered<Body> {
  readonly status: number;
  readonly body: Body;
  readonly headers: Headers;
}

/** @throws ApiProblem with the code `unreachable` if there was no reply; the abort, if the call was aborted. */
export async function reach(address: string, init: RequestInit): Promise<Response> {
  try {
    return (await takeStarted(address, init)) ?? (await fetch(address, init));
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiProblem(undefined, 'the platform cannot be reached');
  }
}

/**
 * The body as JSON where it is JSON, else as text; undefined where there is none.
 * @throws ApiProblem with the code `unreachable` for a page: a captive portal or a proxy has answered, not the platform.
 */
export async function answerOf(response: Response): Promise<Answered<unknown>> {
  const { status, headers } = response;
  const type = headers.get('content-type')?.toLowerCase() ?? '';
  if (type.startsWith('text/html'))
    throw new ApiProblem(undefined, 'the reply is a page, so it is not from the platform');
  const text = status === 204 ? '' : await response.text();
  if (text === '') return { status, headers, body: undefined };
  const isJson = type.startsWith('application/json');
  return { status, headers, body: isJson ? JSON.parse(text) : text };
}

/** The query with its `?`; members that are undefined or empty are left out. */
export function searchOf(query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') search.set(name, String(value));
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}
