import { invalidInput } from '../lib/problem.ts';
import type { TransferFormat } from '../transfer/port.ts';
import { askedType } from './asked-type.ts';
import type { Reply } from './reply.ts';
import type { RequestHead } from './request.ts';

export const csvType = 'text/csv';
export const jsonlTypes = ['application/x-ndjson', 'application/jsonl', 'application/jsonlines'] as const;
export const [jsonlType] = jsonlTypes;

/** What a file is to be written in: what `format=` says, else what is accepted, else JSON Lines. @throws Problem `invalid_request`. */
export function readFileFormat(text: string | undefined, incoming: RequestHead): TransferFormat {
  if (text === undefined) return askedType(incoming, [csvType, ...jsonlTypes]) === csvType ? 'csv' : 'jsonl';
  if (text === 'csv' || text === 'jsonl') return text;
  const message = '`format` must be `csv` or `jsonl`';
  throw invalidInput('invalid_request', [{ pointer: '/format', code: 'wrong_type', message }]);
}

/** @param name of the file, without its ending; nothing in it has to be quoted. */
export function fileReply(name: string, format: TransferFormat, stream: AsyncIterable<string>): Reply {
  return {
    status: 200,
    stream,
    contentType: format === 'csv' ? `${csvType}; charset=utf-8; header=present` : jsonlType,
    headers: { 'Content-Disposition': `attachment; filename="${name}.${format}"`, Vary: 'Accept' },
  };
}
