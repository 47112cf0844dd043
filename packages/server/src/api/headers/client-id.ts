import { Problem } from '../../lib/problem.ts';
import type { RequestHead } from '../request.ts';

/**
 * The client id of a call without a token: the header `client_id`, or `client-id`, which proxies do not drop. Undefined
 * where neither comes, or one comes empty or twice. @throws Problem `invalid_request` where the two differ.
 */
export function readClientId(request: RequestHead): string | undefined {
  const { headers } = request;
  const [given, alias] = [headers.client_id, headers['client-id']];
  if (alias === undefined) return given === undefined ? undefined : singleHeader(request, 'client_id');
  if (given === undefined) return singleHeader(request, 'client-id');
  const [one, other] = [singleHeader(request, 'client_id'), singleHeader(request, 'client-id')];
  if (one !== other) throw new Problem('invalid_request', 'the headers `client_id` and `client-id` differ');
  return one;
}

/** @throws Problem `client_unknown`, `invalid_request`. */
export function requireClientId(request: RequestHead): string {
  const clientId = readClientId(request);
  if (clientId !== undefined) return clientId;
  const isMissing = request.headers.client_id === undefined && request.headers['client-id'] === undefined;
  const hint = isMissing && hasProxy(request) ? proxyHint : '';
  throw new Problem('client_unknown', `the header \`client_id\` must be sent once${hint}`);
}

const proxyHint =
  ': the request came through a proxy, and many drop headers with an underscore in their names (nginx does without `underscores_in_headers on`); send `client-id` in its place';

const forwarding = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/** As far as it shows: nginx asks by HTTP/1.0 unless it is configured otherwise, which hardly any client does. */
function hasProxy({ headers, httpVersion }: RequestHead): boolean {
  return httpVersion === '1.0' || forwarding.some((name) => headers[name] !== undefined);
}

/**
 * The value of a header that must come exactly once, or undefined where it is missing, empty or doubled. Node joins
 * doubled headers with a comma, so the raw list is asked how many there were.
 */
export function singleHeader(request: RequestHead, name: string): string | undefined {
  let value: string | undefined;
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    if (request.rawHeaders[index]?.toLowerCase() !== name) continue;
    if (value !== undefined) return undefined;
    value = request.rawHeaders[index + 1];
  }
  const trimmed = value?.trim();
  return trimmed === '' ? undefined : trimmed;
}
