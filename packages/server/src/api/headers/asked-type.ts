import type { RequestHead } from '../request.ts';

/**
 * Which of these media types a request asks for by its name (RFC 9110, 12.5.1): of several the preferred one, undefined
 * if it names none of them.
 */
export function askedType<Type extends string>(request: RequestHead, types: readonly Type[]): Type | undefined {
  let best: { readonly type: Type; readonly weight: number } | undefined;
  for (const range of (request.headers.accept ?? '').split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const type = types.find((known) => known === name);
    const weight = weightOf(parameters);
    if (type !== undefined && weight > (best?.weight ?? 0)) best = { type, weight };
  }
  return best?.type;
}

function weightOf(parameters: readonly string[]): number {
  const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  if (q === undefined) return 1;
  return /^[01](\.\d{0,3})?$/.test(q) ? Number(q) : 0;
}
