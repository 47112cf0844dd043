/** Calls that were sent before the scripts that need their replies are there. Each reply is taken once. */

interface StartedCall {
  readonly at: number;
  readonly response: Promise<Response>;
}

const started = new Map<string, StartedCall>();

/** As old as what was read may be before it is read again. */
const millisecondsMax = 5_000;

export function begin(address: string, init: RequestInit): void {
  const response = fetch(address, init);
  // What goes wrong is seen by the call that takes it, which is then sent again.
  response.catch(() => undefined);
  started.set(keyOf(address, init), { at: performance.now(), response });
}

/** The reply to the same call. Undefined where there is none, or where the session was in another org then. */
export async function takeStarted(address: string, init: RequestInit): Promise<Response | undefined> {
  const key = keyOf(address, init);
  const found = started.get(key);
  started.delete(key);
  if (found === undefined || performance.now() - found.at > millisecondsMax) return undefined;
  const response = await found.response.catch(() => undefined);
  return response?.status === orgMismatch ? undefined : response;
}

const orgMismatch = 409;

function keyOf(address: string, { method, headers, body }: RequestInit): string {
  return JSON.stringify([method, address, headers, body]);
}
