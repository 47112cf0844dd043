import type { ProblemCode } from '@freehold/contract/problem';

/** The reply of a handler. `body` is the text that is sent; JSON unless `contentType` says otherwise. */
export interface Reply {
  readonly status: number;
  readonly body?: string;
  /** Sent in place of a `body`: what is no text, or is compressed. */
  readonly bytes?: Uint8Array;
  /** Sent piece by piece in place of a `body`. Begins nothing before it is iterated. */
  readonly stream?: AsyncIterable<string | Uint8Array>;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The code of the problem that it tells of. */
  readonly problem?: ProblemCode;
}

export function json(status: number, value: unknown, headers?: Readonly<Record<string, string>>): Reply {
  return { status, body: JSON.stringify(value), ...(headers === undefined ? {} : { headers }) };
}
