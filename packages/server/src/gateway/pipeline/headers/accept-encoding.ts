import type { RequestHead } from '../../../api/request.ts';

/** Content codings, the preferred one first. */
export const codings = ['br', 'gzip'] as const;
export type Coding = (typeof codings)[number];

/** The coding that the client wants most of these; undefined where it wants none, or would rather have none (RFC 9110, 12.5.3). */
export function codingFor({ headers }: RequestHead, available: readonly Coding[]): Coding | undefined {
  const weights = readWeights(headers['accept-encoding'] ?? '');
  const ofOthers = weights.get('*') ?? 0;
  let most = weights.get('identity') ?? ofOthers;
  let wanted: Coding | undefined;
  for (const coding of available) {
    const weight = weights.get(coding) ?? ofOthers;
    if (weight === 0 || weight < most || (weight === most && wanted !== undefined)) continue;
    most = weight;
    wanted = coding;
  }
  return wanted;
}

/** A weight that cannot be read is none. */
function readWeights(header: string | readonly string[]): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const part of String(header).toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((word) => word.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(
      name,
      weight === undefined ? 1 : /^q=(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight.slice(2)) : 0,
    );
  }
  return weights;
}
