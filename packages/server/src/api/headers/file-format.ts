import { invalidInput } from '../../lib/problem.ts';
import type { Reply } from '../reply.ts';
import type { RequestHead } from '../request.ts';
import { askedType } from './asked-type.ts';

export const csvType = 'text/csv';
export const jsonlTypes = ['application/x-ndjson', 'application/jsonl', 'application/jsonlines'] as const;
export const [jsonlType] = jsonlTypes;

export type FileFormat = 'csv' | 'jsonl';

/** What a file is to be written in: what `format=` says, else what is accepted, else JSON Lines. @throws Problem `invalid_request`. */
export function readFileFormat(text: string | undefined, incoming: RequestHead): FileFormat {
  if (text === undefined) return askedType(incoming, [csvType, ...jsonlTypes]) === csvType ? 'csv' : 'jsonl';
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
