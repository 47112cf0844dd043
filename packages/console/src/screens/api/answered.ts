import type { Method } from '@freehold/docs/openapi/openapi';
import type { Actor, Tried } from '../../api/app.ts';

/** The call that was run. */
export interface Ran {
  readonly actor: Actor;
  readonly method: Method;
  /** Path and query below the app. */
  readonly target: string;
  readonly recordId: string | undefined;
  /** The body, if it was JSON. */
  readonly text: string | undefined;
}

/** What was answered, as far as it is shown. */
export interface Answered {
  /** Another one for each run. */
  readonly id: number;
  readonly ran: Ran;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly requestId: string | undefined;
  /** From the call to the end of the reply, or to where reading ended. */
  readonly milliseconds: number;
  readonly text: string;
  readonly isCut: boolean;
  /** Of a refusal by policies. */
  readonly decisionId: string | undefined;
}

/** Of a longer body the beginning is read; the rest is not loaded. */
export const shownBytesMax = 128 * 1024;

let runs = 0;

/** Reads a reply, and ends the connection where it is too long. */
export async function readAnswer({ response, sentAt }: Tried, ran: Ran): Promise<Answered> {
  const { text, isCut } = await readBegin(response);
  const milliseconds = performance.now() - sentAt;
  const isJson = /^application\/(problem\+)?json/.test(response.headers.get('content-type') ?? '');
  const value: unknown = isJson && !isCut && text !== '' ? JSON.parse(text) : undefined;
  const decision = (value as { readonly decision_id?: unknown } | null | undefined)?.decision_id;
  runs += 1;
  return {
    id: runs,
    ran,
    status: response.status,
    headers: [...response.headers].sort(([one], [other]) => one.localeCompare(other)),
    requestId: response.headers.get('x-request-id') ?? undefined,
    milliseconds,
    text: value === undefined ? text : JSON.stringify(value, null, 2),
    isCut,
    decisionId: response.status === 403 && typeof decision === 'string' ? decision : undefined,
  };
}

async function readBegin({ body }: Response): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const decoder = new TextDecoder();
  const reader = body?.getReader();
  let text = '';
  let bytes = 0;
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value.subarray(0, shownBytesMax - bytes), { stream: true });
    bytes += value.length;
    if (bytes <= shownBytesMax) continue;
    await reader.cancel();
    return { text, isCut: true };
  }
  return { text: text + decoder.decode(), isCut: false };
}
