import { invalidInput } from '../../lib/problem.ts';
import type { Reply } from '../reply.ts';
import type { RequestHead } from '../request.ts';

export const csvType = 'text/csv';
export const jsonlTypes = ['application/x-ndjson', 'application/jsonl', 'application/jsonlines'] as const;
export const [jsonlType] = jsonlTypes;

export type FileFormat = 'csv' | 'jsonl';

/** The format that `format=` names, else an accepted one, else JSON Lines. @throws Problem `invalid_request`. */
export function readFileFormat(text: string | undefined, incoming: RequestHead): FileFormat {
  if (text === undefined) return preferredType(incoming, [csvType, ...jsonlTypes]) === csvType ? 'csv' : 'jsonl';
  if (text === 'csv' || text === 'jsonl') return text;
  const message = '`format` must be `csv` or `jsonl`';
  throw invalidInput('invalid_request', [{ pointer: '/format', code: 'wrong_type', message }]);
}

/** @param name of the file, without its ending; nothing in it has to be quoted. */
export function fileReply(name: string, format: FileFormat, stream: AsyncIterable<string>): Reply {
  return {
    status: 200,
    stream,
    contentType: format === 'csv' ? `${csvType}; charset=utf-8; header=present` : jsonlType,
    headers: { 'Content-Disposition': `attachment; filename="${name}.${format}"`, Vary: 'Accept' },
  };
}

/**
 * Which of these media types a request asks for by its name (RFC 9110, 12.5.1): of several the preferred one, undefined
 * if it names none of them.
 */
export function preferredType<Type extends string>(request: RequestHead, types: readonly Type[]): Type | undefined {
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
